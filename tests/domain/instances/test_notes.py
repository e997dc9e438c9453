"""Notes between processes, as they travel."""

import json

from domain.instances.notes import MAX_UNSENT, NoNotes, Note, Unsent, read_note

#: PostgreSQL refuses more in one notification.
MAX_PAYLOAD_BYTES = 7999


def test_each_thing_is_told_once_and_in_order() -> None:
    unsent = Unsent()
    assert not unsent
    unsent.add(Note.TOPICS, ["tsk_b", "prj_a"])
    unsent.add(Note.TOPICS, ["tsk_a", "tsk_b"])
    unsent.add(Note.RELEASE, ())
    unsent.add(Note.RELEASE, ())
    assert unsent
    assert [read_note(payload, "ins_other") for payload in unsent.take("ins_self")] == [
        (Note.TOPICS, ["tsk_b", "prj_a", "tsk_a"]),
        (Note.RELEASE, []),
    ]
    assert not unsent
    assert unsent.take("ins_self") == []


def test_many_subjects_go_in_payloads_that_postgresql_takes() -> None:
    unsent = Unsent()
    topics = [f"tsk_{number:036}" for number in range(1000)]
    unsent.add(Note.TOPICS, topics)
    payloads = unsent.take("ins_" + "0" * 26)
    assert max(len(payload.encode()) for payload in payloads) <= MAX_PAYLOAD_BYTES
    heard = [subject for payload in payloads for subject in (read_note(payload, "") or (None, []))[1]]
    assert heard == topics


def test_too_much_to_tell_becomes_word_that_something_was_missed() -> None:
    unsent = Unsent()
    for number in range(MAX_UNSENT + 1):
        unsent.add(Note.TOPICS, [f"tsk_{number}"])
    unsent.add(Note.SESSIONS, ["ses_1"])
    found = [read_note(payload, "") for payload in unsent.take("ins_self")]
    assert found == [(Note.GAP, []), (Note.SESSIONS, ["ses_1"])]


def test_what_is_not_for_this_process_says_nothing() -> None:
    own = json.dumps({"from": "ins_self", "note": "topics", "of": ["tsk_1"]})
    assert read_note(own, "ins_self") is None
    for payload in (
        "",
        "no json",
        "[]",
        "null",
        "{}",
        '{"note": "of a later version", "of": []}',
        '{"note": "topics"}',
    ):
        assert read_note(payload, "ins_self") is None
    assert read_note('{"note": "topics", "of": "tsk_1"}', "ins_self") is None
    assert read_note('{"note": "topics", "of": ["tsk_1", 2, null]}', "ins_self") == (Note.TOPICS, ["tsk_1"])


def test_a_process_that_is_always_alone_tells_nobody() -> None:
    notes = NoNotes()
    heard: list[object] = []
    notes.hear(Note.GAP, heard.append)
    notes.send(Note.GAP)
    assert heard == []
