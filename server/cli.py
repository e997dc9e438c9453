"""The program `wonder`."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from domain import db
from domain.errors import DomainError, SettingsError, StorageError, StorageUnusable
from domain.provider_settings import load_provider_settings
from domain.settings import Settings, load_settings, unknown_variables, variable_name
from resolvers.root import print_sdl
from server.checks import check_providers
from server.demo import demo
from server.logging import set_up_logging
from server.moving import Terminated, copy_storage, read_backup, write_backup
from server.serving import serve
from server.wiring import build_accounts

_Run = Callable[[Settings, argparse.Namespace], int]
_WRONG_SETTINGS: Final = 2
_FAILED: Final = 1
#: What shells show of a program that Ctrl-C, or SIGTERM, has ended.
_INTERRUPTED: Final = 130
_TERMINATED: Final = 143
#: What shells show of a program that ended because nobody read on.
_NO_READER: Final = 141
#: For scripts; not a setting, since it is of no use to a server.
_PASSWORD_VARIABLE: Final = "WONDER_ADMIN_PASSWORD"  # noqa: S105 (a name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a failure, 2 for wrong settings or arguments.

    141 when whoever read the output went away before its end; 130 and 143 after Ctrl-C and SIGTERM.
    """
    try:
        code = _main(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _complain("Interrupted.")
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output, such as `head`, has enough. Nothing is left for Python to complain of at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _NO_READER
    return code


def _main(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        settings = load_settings(**_overrides(options))
    except SettingsError as error:
        _complain(str(error))
        return _WRONG_SETTINGS
    set_up_logging(settings)
    command: Callable[[Settings, argparse.Namespace], int] = options.run
    try:
        return command(settings, options)
    except (SettingsError, StorageUnusable) as error:
        _complain(str(error))
        return _WRONG_SETTINGS
    except Terminated:
        _complain("Terminated.")
        return _TERMINATED
    except (DomainError, StorageError) as error:
        _complain(str(error))
        return _FAILED
    except BrokenPipeError:
        raise
    except db.DATABASE_ERRORS as error:
        _complain(f"The database or a file cannot be used: {type(error).__name__}: {error}")
        return _FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wonder",
        description="Game-ready assets from prompts, over GraphQL.",
        epilog="Settings are environment variables WONDER_*, also from a .env file; `wonder check-config` shows them.",
    )
    parser.add_argument("--version", action="version", version=f"wonder {version('wonder')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str, run: Callable[[Settings, argparse.Namespace], int]) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.add_argument("--data-dir", type=Path, help="folder for the database, the signing key and stored files")
        added.set_defaults(run=run)
        return added

    serving = command("serve", "Serve the API and work on tasks until a signal.", _serve)
    serving.add_argument("--host", help="address to listen on")
    serving.add_argument("--port", type=int, help="port to listen on; 0 takes a free one")
    showing = command("demo", "Start a server, make an asset and show its way.", _demo)
    showing.add_argument("--port", type=int, help="port to listen on; unless given, 8000 or a free one")
    command("migrate", "Bring the tables up to date.", _migrate)
    command("schema", "Print the GraphQL schema.", _schema)
    admin = command(
        "create-admin", "Create an administrator, or make an account one and set its password.", _create_admin
    )
    admin.add_argument("--email", required=True, help="the account's address; the password is asked for")
    checking = command(
        "check-config", "Check the settings and the providers' keys, and print them without secrets.", _check_config
    )
    checking.add_argument("--offline", action="store_true", help="ask no provider whether it takes its key")
    _add_moving(commands, command)
    return parser


def _add_moving(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    command: Callable[[str, str, _Run], argparse.ArgumentParser],
) -> None:
    saving = command(
        "backup", "Write the SQLite database and all files to one file, also while a server runs.", write_backup
    )
    saving.add_argument("file", type=Path, help="the file to write; it must not exist")
    loading = command("restore", "Bring back what a backup holds; no server may run.", read_backup)
    loading.add_argument("file", type=Path, help="the backup")
    loading.add_argument("--force", action="store_true", help="replace the database and files that are there")
    storage = commands.add_parser("storage", help="Move stored files.", description="Move stored files.")
    actions = storage.add_subparsers(required=True, metavar="ACTION")
    text = "Copy every file to another storage and compare it there. What is there already is not sent again."
    copying = actions.add_parser("copy", help=text, description=text)
    copying.add_argument("--data-dir", type=Path, help="folder for the database, the signing key and stored files")
    for flag, name in (("--from", "source"), ("--to", "target")):
        copying.add_argument(flag, dest=name, required=True, choices=("local", "s3"), help=f"the {name}")
    copying.set_defaults(run=copy_storage)


def _overrides(options: argparse.Namespace) -> dict[str, object]:
    names = ("data_dir", "host", "port")
    return {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}


def _serve(settings: Settings, _: argparse.Namespace) -> int:
    _complain_of_unknown_variables()
    return serve(settings)


def _demo(settings: Settings, options: argparse.Namespace) -> int:
    return demo(options.data_dir or Path("demo-output"), options.port, stay=sys.stdout.isatty(), settings=settings)


def _migrate(settings: Settings, _: argparse.Namespace) -> int:
    async def run() -> list[str]:
        await db.connect(settings.resolved_database_url)
        try:
            return await db.migrate()
        finally:
            await db.close()

    applied = asyncio.run(run())
    _say("\n".join(f"applied {name}" for name in applied) or "The tables are up to date.")
    return 0


def _schema(_: Settings, __: argparse.Namespace) -> int:
    sys.stdout.write(print_sdl())
    return 0


def _create_admin(settings: Settings, options: argparse.Namespace) -> int:
    password = _read_password()

    async def run() -> str:
        accounts, hasher = build_accounts(settings)
        await db.connect(settings.resolved_database_url)
        try:
            if settings.auto_migrate:
                await db.migrate()
            return (await accounts.create_admin(options.email, password)).email
        finally:
            await db.close()
            hasher.close()

    email = asyncio.run(run())
    _say(f"{email} is an administrator. The password given is now the account's; earlier sessions of it have ended.")
    return 0


def _read_password() -> str:
    """Take the password from WONDER_ADMIN_PASSWORD, the terminal, or the first line of standard input; never argv."""
    if password := os.environ.get(_PASSWORD_VARIABLE):
        return password
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    if line := sys.stdin.readline().rstrip("\n"):
        return line
    raise SettingsError(
        f"The password is read from the terminal, standard input or {_PASSWORD_VARIABLE}; none was given."
    )


def _check_config(settings: Settings, options: argparse.Namespace) -> int:
    for name in Settings.model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            unset = "(kept in the data folder)" if name == "secret_key" else ""
            shown = "(set)" if value.get_secret_value() else unset
        elif value is None:
            shown = ""
        elif name == "database_url":
            shown = _without_password(settings.resolved_database_url)
        elif isinstance(value, tuple):
            shown = ", ".join(value)
        elif isinstance(value, bool):
            shown = str(value).lower()
        elif isinstance(value, float):
            shown = f"{value:g}"
        else:
            shown = str(value)
        _say(f"{variable_name(name)}={shown}")
    _complain_of_unknown_variables()
    return _check_providers(settings, ask=not options.offline)


def _check_providers(settings: Settings, *, ask: bool) -> int:
    """Say of each provider whether it can be used; one that cannot is a failure."""
    failed = False
    for finding in check_providers(settings, load_provider_settings(settings), ask=ask):
        failed = failed or bool(finding.complaint)
        _say(f"{finding.title} ({finding.model}): {finding.complaint or 'ready'}")
    return _FAILED if failed else 0


def _complain_of_unknown_variables() -> None:
    for name in unknown_variables():
        if name != _PASSWORD_VARIABLE:
            _complain(f"{name} is set, but there is no such setting.")


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    credentials, at, place = rest.rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}{separator}{user}{at}{place.partition('?')[0]}"


def _say(text: str) -> None:
    print(text)  # noqa: T201 (the command's answer)


def _complain(text: str) -> None:
    print(f"wonder: {text}", file=sys.stderr)  # noqa: T201 (the command's complaint)
