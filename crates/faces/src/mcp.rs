//! What an agent may ask for while it works: the Model Context Protocol over standard input and
//! output, with seven tools, each one use case of the engine.
//!
//! Only `serve` starts a runtime. The store's calls block, so they run on a worker thread,
//! one at a time. Sessions that wait to be read are read in another one.

mod pending;
mod schema;
mod session;
mod tools;
mod trouble;
mod wire;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hardwon_engine::answer::Status;
use hardwon_engine::{Environment, Options, answer, problems};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, MetaObject, PaginatedRequestParams, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use rmcp::{ErrorData, ServerHandler};
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::fault;
use crate::hands::{Hands, Share};
use pending::Worker;
use session::Conversation;
use tools::{ARCHIVIST, TOOLS, Tool};
use trouble::{Reply, Trouble};

/// How long a call may take, the wait for calls before it included. A store answers in
/// milliseconds; one that does not must not take the conversation with it.
const LIMIT: Duration = Duration::from_secs(30);

/// How long a write may still take after the client has left.
const LAST_WRITE: Duration = Duration::from_secs(5);

/// What a client shows to its model about this server. Hosts cut it at 2 KB, and some show
/// only the beginning.
const INSTRUCTIONS: &str = include_str!("../data/mcp/instructions.txt").trim_ascii_end();
const FOR_ARCHIVIST: &str = include_str!("../data/mcp/archivist.txt").trim_ascii_end();

/// Which tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offer {
    /// Those that an agent needs while it works.
    #[default]
    All,
    /// Those of the Archivist, who looks back on runs.
    Archivist,
}

impl Offer {
    fn tools(self) -> &'static [Tool] {
        match self {
            Offer::All => TOOLS,
            Offer::Archivist => ARCHIVIST,
        }
    }

    /// What a client shows to its model about the server.
    pub fn instructions(self) -> &'static str {
        match self {
            Offer::All => INSTRUCTIONS,
            Offer::Archivist => FOR_ARCHIVIST,
        }
    }

    /// A tool as it is listed. A plugin brings the Archivist's to every session, and most have
    /// other work: no host has to load them before they are asked for.
    fn listed(self, tool: &Tool) -> rmcp::model::Tool {
        let mut listed = tool.definition();
        if self == Offer::Archivist {
            listed.meta = None;
        }
        listed
    }
}

/// The tools, in the order in which they are listed.
pub fn tools(offer: Offer) -> impl Iterator<Item = answer::Tool> {
    offer.tools().iter().map(|&Tool { name, title, description, .. }| answer::Tool {
        name,
        title,
        description,
    })
}

/// Serves one client until it closes our standard input.
pub fn serve(environment: &Environment, options: &Options, offer: Offer) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| trouble(&error))?;
    let conversation = Conversation::new(environment, options);
    let server = Server::new(conversation, offer, Hands::default().share(""));
    let about = environment.clone();
    fault::ends_the_call(move || {
        problems::note(&about, "mcp", Status::Failed, fault::TOLD);
    });
    let served = runtime.block_on(async {
        match server.serve(rmcp::transport::stdio()).await {
            Ok(running) => {
                let worker = Worker::start(environment, options);
                let served = running.waiting().await.map(|_| ()).map_err(io::Error::other);
                worker.stop(LAST_WRITE);
                served
            }
            // The client left before it introduced itself: nothing was asked.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    runtime.shutdown_timeout(LAST_WRITE);
    served.map_err(|error| trouble(&error))
}

fn trouble(error: &io::Error) -> Failure {
    let hint = Some("`hardwon mcp` is started by an agent, which speaks first; see docs/mcp.md");
    Failure::at("mcp", format!("the conversation ended: {error}"), hint)
}

/// One client's server.
pub struct Server {
    /// Held by the call that is being done.
    conversation: Arc<Mutex<Conversation>>,
    share: Arc<Share>,
    offer: Offer,
}

impl Server {
    /// For a client that comes over HTTP: its conversation is a run of its own.
    pub fn of_connection(
        environment: &Environment,
        options: &Options,
        offer: Offer,
        share: Arc<Share>,
    ) -> Self {
        Server::new(Conversation::of_connection(environment, options), offer, share)
    }

    fn new(conversation: Conversation, offer: Offer, share: Arc<Share>) -> Self {
        let conversation = Arc::new(Mutex::new(conversation));
        Server { conversation, share, offer }
    }

    async fn call(&self, tool: &'static Tool, arguments: JsonObject, meta: JsonObject) -> Called {
        let turn = Arc::clone(&self.conversation).lock_owned().await;
        let work = self.share.ask(move |hand| {
            if cfg!(debug_assertions) && meta.contains_key("hardwon/fault") {
                panic!("asked for by a test; nobody can in what people install");
            }
            (tool.call)(&turn.for_call(hand, &meta), arguments)
        });
        // It went wrong, or the server is about to end.
        work.await.unwrap_or_else(|_| Err(Trouble::fault()))
    }
}

type Called = Result<Reply, Trouble>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("hardwon", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about.with_title("Hardwon"))
            .with_instructions(self.offer.instructions())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offer.tools().iter().map(|tool| self.offer.listed(tool)).collect();
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = self.offer.tools();
        let Some(tool) = tools.iter().find(|tool| tool.name == request.name) else {
            // The protocol asks for an error of its own here.
            let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
            let message = format!("unknown tool; the tools are {}", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let meta = context.meta.0.0.clone();
        let called = tokio::select! {
            // A client that does not wait any more and has not had its turn is not served.
            () = context.ct.cancelled() => Err(Trouble::cancelled()),
            called = tokio::time::timeout(LIMIT, self.call(tool, arguments, meta)) => {
                called.unwrap_or_else(|_| Err(Trouble::late(LIMIT)))
            }
        };
        Ok(CallToolResponse::from(result(called)))
    }
}

/// Where the data of an answer stand.
const DATA: &str = "hardwon/answer";

/// What the client gets: a text for its model, or what went wrong. Hosts show structured content to
/// their models in the place of the text, or beside it; so the same as data, for programs, stands
/// where no model sees it.
fn result(called: Called) -> CallToolResult {
    match called {
        Ok(reply) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
            result.meta = Some(MetaObject(JsonObject::from_iter([(DATA.to_owned(), reply.data)])));
            result
        }
        Err(trouble) => CallToolResult::error(vec![ContentBlock::text(trouble.to_string())]),
    }
}

#[cfg(test)]
mod tests;
