"""How each host is started: without a person, against the scripted model, with everything off
that would call home.

A row of `HOSTS` says what the host is called in memory, its program, the variables by which it
marks the shells of its model, and a function that prepares its home.
"""

import json
from typing import Callable, NamedTuple

TASK = "Try it."
MODEL = "scripted"


class Start(NamedTuple):
    """What it takes to start a host once."""

    arguments: list
    variables: dict = {}
    # Paths below its home, and what they say.
    files: dict = {}


class Host(NamedTuple):
    name: str
    program: str
    marks: list
    start: Callable[[str, str], Start]
    # The systems on which it is a failure if it does not run.
    must_run_on: list = []
    # In which mode, and what the program must be able to do for that.
    mode: str = ""
    able_to: list = []


def claude_code(url, _home):
    return Start(
        ["-p", TASK, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
        {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # It skips permissions as root only where it is told that this is a sandbox.
            "IS_SANDBOX": "1",
        },
    )


def codex(url, home, permission=("--dangerously-bypass-approvals-and-sandbox",)):
    settings = f"""
model = "{MODEL}"
model_provider = "{MODEL}"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
apps = false
plugins = false
[model_providers.{MODEL}]
name = "{MODEL}"
base_url = "{url}/v1"
wire_api = "responses"
[sandbox_workspace_write]
writable_roots = ["{home}"]
"""
    return Start(
        ["exec", "--skip-git-repo-check", *permission, TASK],
        # A configuration variable: it must not make an agent of anybody.
        {"CODEX_HOME": f"{home}/.codex"},
        {".codex/config.toml": settings},
    )


def codex_in_its_sandbox(url, home):
    return codex(url, home, ("--sandbox", "workspace-write"))


def quiet_settings(sign_in):
    """What Gemini CLI and its descendant have in common."""
    return json.dumps(
        {
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "security": {"auth": {"selectedType": sign_in}},
        }
    )


def gemini_cli(url, _home):
    return Start(
        ["-p", TASK, "--yolo", "--model", "gemini-2.5-flash"],
        {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        {".gemini/settings.json": quiet_settings("gemini-api-key")},
    )


def qwen_code(url, _home):
    return Start(
        ["-p", TASK, "--yolo"],
        {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL},
        {".qwen/settings.json": quiet_settings("openai")},
    )


def opencode(url, _home):
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {MODEL: {"name": MODEL}},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
        "model": f"{MODEL}/{MODEL}",
        "small_model": f"{MODEL}/{MODEL}",
        "provider": {MODEL: provider},
    }
    off = ["AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD"]
    return Start(
        ["run", TASK],
        {
            "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
            **{f"OPENCODE_DISABLE_{what}": "1" for what in off},
            # It installs the types of its plugins on the way, and waits for that.
            "npm_config_offline": "true",
            "npm_config_fetch_retries": "0",
        },
    )


def copilot(url, _home):
    return Start(
        ["-p", TASK, "--allow-all", "--no-auto-update"],
        {
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_OFFLINE": "true",
        },
    )


def pi(url, _home):
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [{"id": MODEL}],
    }
    return Start(
        ["-p", "--provider", MODEL, "--model", MODEL, TASK],
        {"PI_OFFLINE": "1"},
        {".pi/agent/models.json": json.dumps({"providers": {MODEL: provider}})},
    )


HOSTS = [
    Host("claude-code", "claude", ["CLAUDECODE"], claude_code, ["Linux x86_64"]),
    Host("codex", "codex", ["CODEX_THREAD_ID", "CODEX_CI"], codex, ["Linux x86_64"]),
    Host(
        "codex",
        "codex",
        ["CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"],
        codex_in_its_sandbox,
        mode="in its sandbox",
        # Containers often forbid it.
        able_to=["sandbox", "--", "true"],
    ),
    Host("gemini-cli", "gemini", ["GEMINI_CLI"], gemini_cli),
    Host("opencode", "opencode", ["OPENCODE"], opencode),
    Host("qwen-code", "qwen", ["QWEN_CODE"], qwen_code),
    Host("copilot", "copilot", ["COPILOT_CLI"], copilot),
    Host("pi", "pi", ["PI_CODING_AGENT"], pi),
]
