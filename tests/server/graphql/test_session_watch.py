"""Sockets of sessions that another process has ended, which could not tell this one."""

import asyncio

from domain.api_keys import ApiKeys
from domain.instances.notes import NoNotes, Note
from domain.kinds import ApiKeyScope
from domain.models.accounts import ApiKey, Session, User
from server.graphql.channels import OpenChannels
from server.graphql.session_watch import SessionWatch
from tests.conftest import MovableClock
from tests.helpers.endpoint import INIT, Endpoint


async def _end(email: str, clock: MovableClock) -> None:
    """What another process does."""
    user = await User.get(email=email)
    await Session.filter(user_id=user.id).update(revoked_at=clock.now())


async def test_a_socket_whose_session_was_ended_elsewhere_is_closed_and_no_other(
    endpoint: Endpoint, channels: OpenChannels, clock: MovableClock
) -> None:
    ended, kept = await endpoint.sign_up("ended@example.com"), await endpoint.sign_up("kept@example.com")
    watch = SessionWatch(channels, clock, NoNotes())
    async with (
        endpoint.socket({**INIT, "payload": {"token": ended}}) as first,
        endpoint.socket({**INIT, "payload": {"token": kept}}) as second,
        endpoint.socket() as nobodys,
    ):
        await watch.look()
        await _end("ended@example.com", clock)
        await watch.look()
        assert await first.closed() == (4403, "The session has ended")
        for socket in (second, nobodys):
            await socket.subscribe("{ __typename }")
            assert (await socket.receive())["type"] == "next"


async def test_the_same_holds_for_api_keys(endpoint: Endpoint, channels: OpenChannels, clock: MovableClock) -> None:
    await endpoint.sign_up()
    user = await User.get(email="grace@example.com")
    session = await Session.get(user_id=user.id)
    keys = ApiKeys(clock, channels.close_session)
    made = await keys.create(user.id, session.id, "build", [ApiKeyScope.READ])
    watch = SessionWatch(channels, clock, NoNotes())
    async with endpoint.socket({**INIT, "payload": {"token": made.text}}) as socket:
        await watch.look()
        await socket.subscribe("{ __typename }")
        assert (await socket.receive())["type"] == "next"
        assert (await socket.receive())["type"] == "complete"
        await ApiKey.filter(id=made.row.id).update(revoked_at=clock.now())
        await watch.look()
        assert (await socket.closed())[0] == 4403


async def test_lost_notes_have_it_looked_at_at_once(
    endpoint: Endpoint, channels: OpenChannels, clock: MovableClock
) -> None:
    heard = []

    class Notes(NoNotes):
        def hear(self, note: Note, heard_: object) -> None:
            heard.append((note, heard_))

    token = await endpoint.sign_up()
    watch = SessionWatch(channels, clock, Notes())
    async with endpoint.socket({**INIT, "payload": {"token": token}}) as socket:
        await _end("grace@example.com", clock)
        work = asyncio.create_task(watch.run())
        [(note, hear)] = heard
        assert note is Note.GAP
        hear([])
        assert (await socket.closed())[0] == 4403
        work.cancel()
        await asyncio.wait([work])
