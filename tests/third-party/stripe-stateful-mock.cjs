// Starts `stripe-stateful-mock` on a free port of 127.0.0.1 and says where. Its own start script listens everywhere.
const { createExpressApp } = require("stripe-stateful-mock");

const server = createExpressApp().listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});

// A test that is killed cannot stop what it started, but its end of the pipe closes.
if (process.argv.includes("--stop-with-stdin")) {
  process.stdin.on("end", () => process.exit(0)).resume();
}
