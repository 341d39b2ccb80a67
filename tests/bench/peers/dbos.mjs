// DBOS TypeScript: dbos.mjs PROVIDER; the database's URL stands in HAPAX_BENCH_POSTGRES. The workflow's id is the
// operation's key, its one step is the call.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { provider, serve } from "./lines.mjs";

const call = provider(process.argv[2]);
DBOS.setConfig({
  name: "bench",
  systemDatabaseUrl: process.env.HAPAX_BENCH_POSTGRES,
  logLevel: "error",
  runAdminServer: false,
});
const guarded = DBOS.registerWorkflow(async (key) => DBOS.runStep(() => call(key), { name: "charge" }), {
  name: "guarded",
});
await DBOS.launch();
await serve(async (key) => (await DBOS.startWorkflow(guarded, { workflowID: key })(key)).getResult());
await DBOS.shutdown();
process.exit(0);
