"""Programs that run words as code, or as another program; by their names, and as far as names tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

NOTHING = r"(?!)"

# Debian's and others'; a test compares with /etc/shells and with what is installed.
SHELLS = frozenset(
    {"sh", "ash", "bash", "rbash", "dash", "posh", "yash", "sash", "zsh", "rzsh", "osh", "ysh", "git-shell"}
    | {"ksh", "rksh", "mksh", "lksh", "oksh", "loksh", "pdksh", "csh", "tcsh", "bsd-csh", "fish", "xonsh", "elvish"}
    | {"rc", "es", "nu", "ion", "oil"}
)
SHELL_OPTION = r"-[A-Za-z]*c[A-Za-z]*|-C|--commands?|--init-command"
SHELL_WORDS = r"[-+][A-Za-z]*[oO]|--rcfile|--init-file"


@dataclass(frozen=True, slots=True)
class Takes:
    """Where a program has code: the value of an option, or an operand.

    `words` are the options with a word behind them, which is no operand. Operands are code from number `first` to
    before `last`, unless an option of `unless` is there. Behind `ends` operands the words are those of what runs.
    """

    option: str = NOTHING
    words: str = NOTHING
    first: int | None = None
    last: int | None = None
    unless: str = NOTHING
    ends: int | None = None


@dataclass(frozen=True, slots=True)
class Starts:
    """How a program that starts another has its words: options with a word behind them, then operands of its own."""

    words: str = NOTHING
    operands: int = 0


_CODE = {
    "python pypy ipython": Takes(r"-[A-Za-z]*c", words=r"-[WX]", ends=1),
    "perl ruby jruby lua luajit node nodejs bun R Rscript julia elixir iex groovy scala ocaml": Takes(
        r"-[A-Za-z0-9]*[eE]|-p|--eval|--execute|--print", words=r"-[rl]", ends=1
    ),
    "racket clojure sbcl octave osascript gnuplot erl emacs": Takes(r"-e|-?-(?:eval|execute)"),
    "php": Takes(r"-[rBRE]|--run|--process-(?:begin|code|end)", words=r"-[dcfz]", ends=1),
    "pwsh": Takes(r"-(?i:c|command|e|ec|encodedcommand)"),
    "guile": Takes(r"-[ce]", ends=1),
    "expect": Takes(r"-c", ends=1),
    "vi vim view vimdiff nvim ex rvim": Takes(r"-[cS]|--cmd"),
    "gdb": Takes(r"-(?:ex|iex)|-?-(?:init-)?eval-command"),
    "awk gawk mawk nawk original-awk": Takes(
        r"-e|--source", words=r"-[vFfiEl]|--assign|--field-separator", first=0, last=1, unless=r"-[fE]|--file|--exec"
    ),
    "sed": Takes(
        r"-[A-Za-z]*e|--expression",
        words=r"-[A-Za-z]*[lf]|--file",
        first=0,
        last=1,
        unless=r"-[A-Za-z]*[ef]|--expression|--file",
    ),
    "dc": Takes(r"-e|--expression"),
    "psql": Takes(r"-[A-Za-z]*c|--command"),
    "mysql mariadb": Takes(r"-[A-Za-z]*e|--execute"),
    "sqlite": Takes(r"-cmd", words=r"-(?:separator|init|nullvalue|newline)", first=1),
    "su runuser script": Takes(r"-[A-Za-z]*c|--command|--session-command"),
    "sg": Takes(r"-c", first=1),
    "flock": Takes(r"-c|--command", words=r"-[wE]|--(?:timeout|wait|conflict-exit-code)", ends=2),
    "env": Takes(r"-[A-Za-z]*S|--split-string", words=r"-[uC]|--unset|--chdir", ends=1),
    "find": Takes(r"-(?:exec|execdir|ok|okdir)"),
    "watch": Takes(words=r"-[nq]|--interval|--equexit", first=0, unless=r"-[A-Za-z]*x[A-Za-z]*|--exec"),
    "ssh": Takes(r"-o.*", words=r"-[bBcDEeFIiJLlmOpPQRSWw]", first=1),
    "scp sftp": Takes(r"-[oSD].*"),
    "parallel tmux screen byobu socat xterm": Takes(first=0),
    "make gmake": Takes(r"--eval", words=r"-[CfIjloW]|--directory|--file", first=0),
    "git": Takes(r"-c|--(?:config-env|upload-pack|receive-pack|exec)"),
    "rsync": Takes(r"-[A-Za-z]*e|--rsh|--rsync-path"),
    "tar": Takes(r"-[IF]|--(?:checkpoint-action|to-command|use-compress-program|info-script|rsh-command)"),
    "nc ncat netcat": Takes(r"-[ec]|--exec|--sh-exec"),
    "split": Takes(r"--filter"),
    "sort": Takes(r"--compress-program"),
}
_STARTS = {
    "nohup setsid busybox toybox unbuffer fakeroot eatmydata dumb-init tini catatonit": Starts(),
    "env": Starts(r"-[uC]|--unset|--chdir"),
    "nice": Starts(r"-n|--adjustment"),
    "ionice": Starts(r"-[cnpPu]|--class(?:data)?"),
    "stdbuf": Starts(r"-[ioe]|--(?:input|output|error)"),
    "timeout": Starts(r"-[ks]|--kill-after|--signal", 1),
    "time": Starts(r"-[fo]|--format|--output"),
    "sudo": Starts(r"-[ughpCrtTUDR]|--(?:user|group|host|prompt|chdir|chroot)"),
    "doas": Starts(r"-[uC]"),
    "xargs": Starts(r"-[IEnLPsda]|--(?:max-args|max-procs|delimiter|arg-file|replace)"),
    "flock": Starts(r"-[wEc]|--(?:timeout|wait|conflict-exit-code|command)", 1),
    "chrt": Starts(r"-[TPD]|--sched-\w+", 1),
    "chroot taskset gosu su-exec setuidgid envdir": Starts(operands=1),
    "unshare": Starts(r"-[RSGw]|--(?:root|wd|setuid|setgid)"),
    "nsenter": Starts(r"-[tSG]|--(?:target|setuid|setgid)"),
    "setpriv": Starts(
        r"--(?:[re]?[ug]id|reuid|regid|groups|\w+-caps|bounding-set|securebits|pdeathsig|\w+-(?:label|profile))"
    ),
    "strace ltrace": Starts(r"-[abeEIoOpPsSuUXnlw]"),
    "prlimit": Starts(r"-[po]|--pid|--output"),
}
PROGRAMS = {name: takes for names, takes in _CODE.items() for name in names.split()}
WRAPPERS = {name: starts for names, starts in _STARTS.items() for name in names.split()}
# These start another program too, somewhere among their words.
MORE_WRAPPERS = frozenset(
    {"find", "watch", "script", "ssh", "sshpass", "su", "runuser", "parallel", "systemd-run", "systemd-inhibit"}
    | {"systemd-cat", "firejail", "bwrap", "proot", "numactl", "cpulimit", "chpst", "softlimit", "setarch", "linux"}
    | {"docker", "podman", "nerdctl", "kubectl", "lxc", "machinectl", "rlwrap"}
)

_PLAIN = re.compile(r"[A-Za-z_+-]+?(?=-?[0-9]|[-.]static|$)")


def plain_name(program: str) -> str:
    """`/usr/bin/python3.11` is python, `/bin/ksh93` is ksh, `bash-static` is bash."""
    name = PurePosixPath(program).name
    found = _PLAIN.match(name)
    return found[0] if found else name
