//! Which programs take a secret as an argument, and behind which flag?
//!
//! A table and nothing else: `command` walks the command lines. A flag means what its
//! program says: `-p` is a password for `sshpass`, a port for `ssh`, a package for `cargo`.

/// A program, or several that take the same arguments.
pub(super) struct Program {
    pub names: &'static [&'static str],
    pub flags: &'static [Flag],
    pub rest: Rest,
    /// So many words in a row without a flag are a command line; more are prose.
    pub most_words: usize,
}

/// A flag that carries a secret.
pub(super) struct Flag {
    pub name: &'static str,
    pub place: Place,
    pub part: Part,
    /// The subcommand it belongs to: `docker run -p` is a port.
    pub after: Option<&'static str>,
}

/// Where the value of a flag stands. `--flag=value` is read for all but `Glued`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `-pvalue` only; a lone `-p` asks.
    Glued,
    /// `-p value`.
    Behind,
    /// Both.
    Either,
    /// `--flag=value` only; a lone flag asks.
    Equals,
}

/// What of the value is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// What follows the first of this byte: `user%secret`.
    Behind(u8),
    /// What follows `pass:`; `env:` and `file:` say where the secret is.
    Pass,
    /// The values of `name=value,name=value` under telling names.
    Settings,
    /// The value of `name=value`, whatever the name.
    Pair,
}

/// What the words without a flag can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    Nothing,
    /// `kv put path name=value`.
    Pairs,
    /// `configure set name value`.
    Named,
    /// `-b file user value`.
    Third,
}

const fn flag(name: &'static str, place: Place) -> Flag {
    Flag { name, place, part: Part::All, after: None }
}

const fn part(name: &'static str, place: Place, part: Part) -> Flag {
    Flag { name, place, part, after: None }
}

const fn after(word: &'static str, name: &'static str, place: Place, part: Part) -> Flag {
    Flag { name, place, part, after: Some(word) }
}

const fn program(names: &'static [&'static str], flags: &'static [Flag]) -> Program {
    Program { names, flags, rest: Rest::Nothing, most_words: 2 }
}

const fn wordy(names: &'static [&'static str], flags: &'static [Flag], rest: Rest) -> Program {
    Program { names, flags, rest, most_words: 4 }
}

const LONG: Flag = flag("--password", Place::Behind);

pub(super) const PROGRAMS: &[Program] = &[
    program(
        &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mysqlshow", "mysqlsh"],
        &[flag("-p", Place::Glued), flag("--password", Place::Equals)],
    ),
    program(
        &["mariadb", "mariadb-dump", "mariadb-admin"],
        &[flag("-p", Place::Glued), flag("--password", Place::Equals)],
    ),
    program(&["7z", "7za", "7zz", "unrar"], &[flag("-p", Place::Glued)]),
    program(&["sshpass"], &[flag("-p", Place::Either)]),
    program(
        &["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"],
        &[flag("-p", Place::Either), LONG],
    ),
    program(
        &["redis-cli", "valkey-cli"],
        &[flag("-a", Place::Behind), flag("--pass", Place::Behind)],
    ),
    program(
        &["docker", "podman", "buildah", "skopeo", "nerdctl", "oc", "az"],
        &[
            after("login", "-p", Place::Either, Part::All),
            after("login", "--password", Place::Behind, Part::All),
        ],
    ),
    program(&["curl"], &[part("-u", Place::Either, Part::Behind(b':'))]),
    program(
        &["smbclient", "smbget", "rpcclient"],
        &[
            part("-U", Place::Either, Part::Behind(b'%')),
            part("--user", Place::Behind, Part::Behind(b'%')),
        ],
    ),
    program(
        &["openssl"],
        &[
            part("-passin", Place::Behind, Part::Pass),
            part("-passout", Place::Behind, Part::Pass),
            part("-pass", Place::Behind, Part::Pass),
        ],
    ),
    program(&["keytool"], &[flag("-storepass", Place::Behind), flag("-keypass", Place::Behind)]),
    program(&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete"], &[flag("-w", Place::Behind)]),
    program(&["sqlcmd"], &[flag("-P", Place::Either)]),
    wordy(
        &["helm"],
        &[
            part("--set", Place::Behind, Part::Settings),
            part("--set-string", Place::Behind, Part::Settings),
            after("login", "-p", Place::Either, Part::All),
            after("login", "--password", Place::Behind, Part::All),
        ],
        Rest::Nothing,
    ),
    wordy(
        &["kubectl"],
        &[after("secret", "--from-literal", Place::Behind, Part::Pair)],
        Rest::Nothing,
    ),
    wordy(
        &["gh"],
        &[
            after("secret", "-b", Place::Behind, Part::All),
            after("secret", "--body", Place::Behind, Part::All),
        ],
        Rest::Nothing,
    ),
    wordy(&["vault"], &[], Rest::Pairs),
    wordy(&["aws"], &[], Rest::Named),
    wordy(&["htpasswd"], &[], Rest::Third),
    // Programs whose flags mean something else end the command line before them.
    program(
        &["ssh", "scp", "rsync", "cargo", "git", "mkdir", "tar", "cp", "ls", "npm", "psql", "nc"],
        &[],
    ),
];
