// Starts Prism on a free port of 127.0.0.1 and says where. The description comes as one line of JSON on the standard
// input, and the end of that input ends it: a test that is killed cannot stop what it started, but its end closes.
const { createLogger } = require("@stoplight/prism-core");
const { getHttpOperationsFromSpec } = require("@stoplight/prism-http");
const { createServer } = require("@stoplight/prism-http-server");
const { createInterface } = require("node:readline");

// As its command `mock` has it without `--errors`: with it, Prism also judges its own canned answers and refuses to give
// them. What is wrong with a request is in the header `sl-violations` either way.
const config = {
  isProxy: false,
  errors: false,
  checkSecurity: true,
  validateRequest: true,
  validateResponse: true,
  mock: { dynamic: false },
};

async function serve(line) {
  const operations = await getHttpOperationsFromSpec(JSON.parse(line));
  if (operations.length === 0) throw new Error("the description has no operations");
  const components = { logger: createLogger("prism", { level: "silent" }) };
  const url = await createServer(operations, { cors: false, config, components }).listen(0, "127.0.0.1");
  console.log(JSON.stringify({ url }));
}

createInterface({ input: process.stdin })
  .once("line", (line) => serve(line).catch((error) => {
    console.error(error);
    process.exit(1);
  }))
  .once("close", () => process.exit(0));
