//! Secrets among the arguments of programs, and arguments that only look like them.

use super::shown;

/// Before, the secret, behind: only the middle goes.
const HIDDEN: &[(&str, &str, &str)] = &[
    ("mysql -u root -p", "S3cretPass99", ""),
    ("mysql -uroot -p", "correcthorse", " shop"),
    ("mysql -h db -p'", "S3 cret", "' shop"),
    ("mysql -h db -p\"", "S3cret", "\" shop"),
    ("echo \"a\" && mysql -p\"", "S3cret", "\" shop"),
    ("mysql -u root --password=", "correcthorse", " shop"),
    ("mysqldump -p", "S3cret", " shop > shop.sql"),
    ("cd x && sudo mysqldump -u root -p", "S3cret", " shop | gzip"),
    ("/usr/bin/mysql -p", "S3cret", " shop"),
    ("docker exec -it db mysql -u root -p", "S3cret", " shop"),
    ("kubectl exec pod -- mysql -p", "S3cret", " shop"),
    ("{\"command\":\"mysql -u root -p", "S3cret", "\",\"n\":1}"),
    ("ran `mysql -u root -p", "S3cret", "` twice"),
    ("mysql \\\n  -u root \\\n  -p", "S3cret", "\n"),
    ("sshpass -p '", "S3cret", "' ssh host"),
    ("sshpass -p ", "S3cret", " ssh -p 22 host"),
    ("sshpass -p", "S3cret", " scp a host:"),
    ("{\"command\":\"sshpass -p \\\"", "S3cret", "\\\" ssh host\"}"),
    ("SSHPASS=", "S3cret", " sshpass -e ssh host"),
    ("docker login -u bob -p ", "S3cretPass99", " reg.example.com"),
    ("docker login reg.example.com -u bob -p ", "S3cretPass99", ""),
    ("docker login -u bob --password=", "correcthorse", ""),
    ("podman login --password ", "correcthorse", " quay.io"),
    ("DEBUG=1 podman login -u b -p \"", "S3cret", "\""),
    ("redis-cli -a ", "S3cretPass99", " ping"),
    ("redis-cli -h r -p 6379 -a ", "correcthorse", " ping"),
    ("vault kv put secret/x value=", "S3cretPass99", ""),
    ("vault kv put secret/x a=b value=", "S3cretPass99", " c=d"),
    ("vault kv put secret/x value=\"", "S3cretPass99", "\""),
    ("curl -u user:", "S3cretPass99", " https://example.com"),
    ("curl -su user:", "S3cretPass99", " https://example.com"),
    ("curl -uuser:", "S3cretPass99", " https://example.com"),
    ("htpasswd -b f user ", "S3cretPass99", ""),
    ("htpasswd -cbB f user '", "S3cretPass99", "'"),
    ("htpasswd -nb user ", "correcthorse", " > f"),
    ("smbclient -U user%", "S3cret", " //host/share"),
    ("smbclient //host/share -U 'dom\\user%", "S3cret", "'"),
    ("mongo -u a -p ", "S3cret", " --authenticationDatabase admin"),
    ("mongosh -u a --password ", "correcthorse", ""),
    ("PGPASSWORD=", "S3cret", " psql -h db"),
    ("aws configure set aws_secret_access_key ", "a1B2c3D4e5F6g7H8i9J0", ""),
    ("openssl rsa -in k.pem -passin pass:", "S3cret", " -out o.pem"),
    ("openssl pkcs12 -export -passout 'pass:", "correcthorse", "'"),
    ("helm upgrade app ./chart --set password=", "correcthorse", ""),
    ("helm install app x/y --set db.password=", "correcthorse", ",replicas=2"),
    ("kubectl create secret generic s --from-literal=pw=", "correcthorse", ""),
    ("used password ", "hunter2hunter2", " for db"),
    ("used password ", "hunter42", " for db"),
    ("with the passphrase ", "S3cretPass99", "."),
];

#[test]
fn only_the_argument_goes() {
    for (before, secret, behind) in HIDDEN {
        let redacted = shown(&[*before, secret, behind].concat());
        let begins = redacted.strip_prefix(before).and_then(|rest| rest.strip_prefix("[redacted:"));
        let rest = begins.and_then(|rest| rest.split_once(']')).map(|(_, rest)| rest);
        assert_eq!(rest, Some(*behind), "{before}{secret}{behind}: {redacted}");
        assert_eq!(shown(&redacted), redacted);
    }
}

#[test]
fn each_program_of_a_line_is_read() {
    assert_eq!(
        shown("sshpass -p a1b2c3 mysql -pd4e5f6 shop && redis-cli -a g7h8i9 ping"),
        "sshpass -p [redacted:password] mysql -p[redacted:password] shop && redis-cli -a [redacted:password] ping",
    );
}

const KEPT: &[&str] = &[
    "mkdir -p src/a",
    "mkdir -psrc1/a2",
    "cargo test -p hardwon-core",
    "cargo test -phardwon2",
    "mysql -p db",
    "mysql -u root -p",
    "mysql -u root -p shop2024 < dump.sql",
    "mysql -P 3306 -h db2",
    "mysql -u root -p$MYSQL_PASS shop",
    "mysql -u root -p\"$MYSQL_PASS\" shop",
    "mysql -u root -p<password> shop",
    "mysql -u root -pYOUR_PASSWORD shop",
    "mysql -p/--password asks",
    "run `mysql -p`, then `use shop2`",
    "{\"command\":\"mysql -p\",\"description\":\"asks4it\"}",
    "{\"command\":\"sshpass -p\",\"description\":\"asks4it\"}",
    "the mysql tests need cargo test -pcore2",
    "mysql && cargo test -pcore2",
    "mysql\ncargo test -pcore2",
    "docker run -p 8080:80 nginx",
    "docker run -d --name mongo -p 27017:27017 mongo:7",
    "docker run -d --name mysql -p3306:3306 mysql:8",
    "docker login -u bob --password-stdin",
    "docker login -u bob -p \"$TOKEN\"",
    "docker compose -p shop2024 up",
    "tar -p -xf a1.tar",
    "cp -a x1y2z3 y",
    "git commit -a",
    "ls -a dir2024",
    "ssh -p 22 host",
    "ssh -p 2222 host1",
    "sshpass -e ssh -p 2222 host1",
    "sshpass -f pw.txt ssh -p 2222 host1",
    "npm i -D password-validator",
    "redis-cli -p 6379 ping",
    "redis-cli --askpass ping",
    "mongosh -u a -p --authenticationDatabase admin1",
    "htpasswd -c file1 user1",
    "openssl rsa -passin env:KEY_PASS1",
    "openssl rsa -passin file:pw1.txt",
    "curl -u user https://example.com",
    "curl -fsSu user https://example.com:8443/a1",
    "vault kv put secret/x value=@file1.json",
    "vault kv get -field=value secret/x1y2z3",
    "aws configure set region eu-west-1",
    "aws s3 cp a1b2c3d4 s3://bucket",
    "helm upgrade app ./chart --set image.tag=v1.2.3",
    "password reset flow",
    "the password field2 is empty",
    "a password validator2 was added",
    "the password sha256sum differs",
    "password Argon2PasswordEncoder bean",
    "the reset-password ticket12 is open",
];

#[test]
fn arguments_that_are_no_secrets_stay() {
    for text in KEPT {
        assert_eq!(shown(text), *text);
    }
}
