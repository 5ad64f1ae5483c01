"""A model that follows a script, for hosts that we did not write.

It speaks the four wire formats that the hosts speak (Anthropic messages, OpenAI responses and
chat completions, Gemini's generateContent), listens on loopback only and knows one trick: to
call the host's shell tool with the next command of the script until each command has a result.
It may be given an object to answer with, for hosts that are asked for one.
What it says follows from the request alone, which carries the conversation so far. It is also
the proxy by which the hosts would leave the machine: that way is refused, and noted.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

# What the hosts call the tool that runs a command in a shell.
SHELL_TOOLS = ["Bash", "bash", "exec_command", "run_shell_command"]
# What Claude Code calls the tool by which a model hands in an object.
OBJECT_TOOL = "StructuredOutput"
NUMBERS = count(1)


class Model(ThreadingHTTPServer):
    """Serves the script and notes who `asked` what, and the `outside` addresses among that. What
    the host said is kept whole in `requests`."""

    daemon_threads = True

    def __init__(self, commands, answer=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.commands = commands
        self.answer = answer
        self.asked = []
        self.requests = []
        self.outside = set()
        self.results = []
        # What came as a key, whatever the header.
        self.keys = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self):
        return f"http://{self.address}"

    def stop(self):
        self.shutdown()
        self.server_close()

    @property
    def last_word(self):
        """What is said when the script is at its end."""
        return "Done." if self.answer is None else json.dumps(self.answer)

    def rehearse(self, commands):
        """Begins anew with another script: the next session of the same host."""
        self.commands, self.requests, self.results = commands, [], []

    def next_call(self, offered, results):
        """The shell tool and its arguments, or nothing when the script is at its end or the
        request offers no shell (hosts also ask for titles and summaries). A script may also name
        another tool, with what it gets."""
        self.results = max(self.results, results, key=len)
        if self.answer is not None and OBJECT_TOOL in offered and not results:
            return OBJECT_TOOL, self.answer
        name = next((name for name in SHELL_TOOLS if name in offered), None)
        if name is None or len(results) >= len(self.commands):
            return None
        command = self.commands[len(results)]
        return command if isinstance(command, tuple) else (name, arguments(offered[name], command))


def arguments(schema, command):
    """The command, put where the tool's schema wants it, and something for all else it requires."""
    given = {}
    for key, kind in (schema.get("properties") or {}).items():
        if key in ("command", "cmd"):
            given[key] = command
        elif key in (schema.get("required") or []):
            given[key] = {"boolean": False, "number": 60000, "integer": 60000}.get(kind.get("type"), "try it")
    return given


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Says nothing: what the hosts print is told when they fail."""

    def do_CONNECT(self):
        """Some hosts ask their proxy even for loopback: then this same connection goes on."""
        self.server.asked.append(f"CONNECT {self.path}")
        if self.path == self.server.address:
            self.send_response(200)
            self.end_headers()
        else:
            self.server.outside.add(self.path)
            self.close_connection = True
            self.answer(403, "text/plain", "no way out")

    def do_GET(self):
        if self.leaves():
            return
        self.answer(200, "application/json", json.dumps({"object": "list", "data": [], "models": []}))

    def do_POST(self):
        body = self.body()
        if self.leaves():
            return
        try:
            request = json.loads(body or b"{}")
        except ValueError:
            return self.answer(400, "application/json", "{}")
        for pattern, speak in FORMATS:
            if re.search(pattern, self.path):
                self.server.requests.append(request)
                self.server.keys |= {self.headers.get("x-api-key"), self.headers.get("Authorization")} - {None}
                return self.speak(speak, request)
        self.answer(404, "application/json", "{}")

    do_HEAD = do_GET

    def leaves(self):
        """Whether the request was meant for another machine; it is refused then."""
        self.server.asked.append(f"{self.command} {self.path}")
        far = self.path.startswith("http") and not self.path.startswith(f"{self.server.url}/")
        if far:
            self.server.outside.add(self.path.split("?")[0])
            self.answer(403, "text/plain", "no way out")
        return far

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def speak(self, speak, request):
        whole, events = speak(self.server, request)
        if request.get("stream") or "stream" in self.path:
            lines = [(f"event: {name}\n" if name else "") + f"data: {data}\n\n" for name, data in events]
            self.answer(200, "text/event-stream", "".join(lines))
        else:
            self.answer(200, "application/json", json.dumps(whole))

    def answer(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def typed(events):
    """Events whose name stands in their own `type`."""
    return [(event["type"], json.dumps(event)) for event in events]


def messages(model, request):
    """Anthropic: POST /v1/messages."""
    offered = {tool["name"]: tool.get("input_schema") or {} for tool in request.get("tools") or []}
    blocks = [block for said in request["messages"] if isinstance(said["content"], list) for block in said["content"]]
    results = [block.get("content") for block in blocks if block.get("type") == "tool_result"]
    call = model.next_call(offered, results)
    number = next(NUMBERS)
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call[0], "input": call[1]}
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block = {"type": "text", "text": model.last_word}
        start = {**block, "text": ""}
        delta = {"type": "text_delta", "text": model.last_word}
    stop = "tool_use" if call else "end_turn"
    used = {"input_tokens": 10, "output_tokens": 10}
    whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": request["model"],
             "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": used}
    opening = {**whole, "content": [], "stop_reason": None}
    return whole, typed([
        {"type": "message_start", "message": opening},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": used},
        {"type": "message_stop"},
    ])


def responses(model, request):
    """OpenAI: POST /v1/responses."""
    offered = {tool.get("name"): tool.get("parameters") or {} for tool in request.get("tools") or []}
    said = request["input"] if isinstance(request["input"], list) else []
    results = [item.get("output") for item in said if item.get("type") == "function_call_output"]
    call = model.next_call(offered, results)
    number = next(NUMBERS)
    if call:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed",
                "name": call[0], "arguments": json.dumps(call[1])}
    else:
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": model.last_word, "annotations": []}]}
    used = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": f"resp_{number}", "object": "response", "model": request["model"], "status": "completed",
             "output": [item], "usage": used}
    return whole, typed([
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ])


def completions(model, request):
    """OpenAI and whoever imitates it: POST /v1/chat/completions."""
    functions = [tool["function"] for tool in request.get("tools") or [] if "function" in tool]
    offered = {function["name"]: function.get("parameters") or {} for function in functions}
    results = [said.get("content") for said in request["messages"] if said["role"] == "tool"]
    call = model.next_call(offered, results)
    number = next(NUMBERS)
    message = {"role": "assistant", "content": None if call else "Done."}
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    stop = "tool_calls" if call else "stop"
    head = {"id": f"chatcmpl-{number}", "created": 1, "model": request["model"]}
    used = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    whole = {**head, "object": "chat.completion", "usage": used,
             "choices": [{"index": 0, "message": message, "finish_reason": stop}]}
    chunk = {**head, "object": "chat.completion.chunk"}
    chunks = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": used},
    ]
    return whole, [(None, json.dumps(chunk)) for chunk in chunks] + [(None, "[DONE]")]


def generate_content(model, request):
    """Gemini: POST /v1beta/models/NAME:generateContent and :streamGenerateContent."""
    functions = [one for tool in request.get("tools") or [] for one in tool.get("functionDeclarations") or []]
    offered = {one["name"]: one.get("parametersJsonSchema") or one.get("parameters") or {} for one in functions}
    parts = [part for said in request["contents"] for part in said.get("parts") or []]
    results = [part["functionResponse"].get("response") for part in parts if "functionResponse" in part]
    call = model.next_call(offered, results)
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "Done."}
    whole = {"candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}],
             "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}}
    return whole, [(None, json.dumps(whole))]


def count_tokens(_model, _request):
    """Both Anthropic's and Gemini's name for the number."""
    return {"input_tokens": 10, "totalTokens": 10}, []


FORMATS = [
    (r"count_?[tT]okens", count_tokens),
    (r"/messages(\?|$)", messages),
    (r"/responses(\?|$)", responses),
    (r"/chat/completions(\?|$)", completions),
    (r":(stream)?[gG]enerateContent", generate_content),
]
