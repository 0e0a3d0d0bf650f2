#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""complete_line.py SHELL SCRIPT: types each line of standard input and the Tab key in an interactive bash, zsh or fish on
a terminal of its own, in the current directory, with the completion script SCRIPT. Prints the arguments that a command
named picknext then gets, joined by |, one line for each line. $PICKNEXT: the program that completes."""
import os
import pty
import select
import shutil
import sys
import tempfile

WAIT_S = 60  # much more than a shell takes on a busy machine

FAKE = """#!/bin/sh
[ "$1" != complete ] || exec "$PICKNEXT" "$@"
for argument; do printf '%s|' "$argument"; done | sed 's/.*/ARGUMENTS(&)END/'
echo
"""

START = {
    "bash": "PS1='READ''Y> '; bind 'set enable-bracketed-paste off'; . {bash_completion}; . {script}\r",
    "zsh": "PROMPT='READ''Y> '; unsetopt zle_bracketed_paste; fpath=({directory} $fpath);"
           " autoload -U compinit; compinit -u -D\r",
    "fish": "source {script}; function fish_prompt; echo -n 'READ''Y> '; end\r",
}
ARGUMENTS = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}


class Terminal:
    def __init__(self, shell, directory):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm", HOME=directory, XDG_CONFIG_HOME=directory, XDG_DATA_HOME=directory,
                              LC_ALL="C.UTF-8", COLUMNS="200", PATH=directory + ":" + os.environ["PATH"])
            os.environ.pop("BASH_COMPLETION_USER_DIR", None)
            os.execvp(shell, [shell, *ARGUMENTS[shell], "-i"])
        self.output = ""

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, text):
        """What came before the text."""
        while text not in self.output:
            if not select.select([self.fd], [], [], WAIT_S)[0]:
                sys.exit(f"complete_line.py: no {text!r} in {self.output!r}")
            try:
                self.output += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                sys.exit(f"complete_line.py: the shell ended: {self.output!r}")
        before, self.output = self.output.split(text, 1)
        return before


def main():
    shell, script = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        fake = os.path.join(directory, "picknext")
        with open(fake, "w") as file:
            file.write(FAKE)
        os.chmod(fake, 0o755)
        shutil.copy(script, os.path.join(directory, "_picknext"))  # the name that zsh looks for
        terminal = Terminal(shell, directory)
        terminal.type(START[shell].format(script=os.path.join(directory, "_picknext"), directory=directory,
                                          bash_completion="/usr/share/bash-completion/bash_completion"))
        for line in sys.stdin:
            terminal.wait_for("READY> ")
            terminal.type(line.rstrip("\n") + "\t\r")
            terminal.wait_for("ARGUMENTS(")
            print(terminal.wait_for("|)END"))
        terminal.wait_for("READY> ")
        terminal.type("exit\r")


main()
