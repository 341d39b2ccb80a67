// Starts one service of `emulate` on a free port of 127.0.0.1 and says where: node emulate.mjs stripe
// A service has its own process, so that a test that stops one does not stop another.
import { createEmulator } from "emulate";

// What a service must hold before its first call can succeed.
const seeds = {
  github: {
    users: [{ login: "octocat", name: "O", email: "o@example.com" }],
    repos: [{ owner: "octocat", name: "hello-world", auto_init: true }],
  },
  google: {
    users: [{ email: "testuser@example.com", name: "T" }],
    calendars: [
      { id: "primary", user_email: "testuser@example.com", summary: "t", primary: true, selected: true, time_zone: "UTC" },
    ],
  },
  slack: {
    users: [{ name: "developer", real_name: "D", email: "d@example.com" }],
    channels: [{ name: "general" }],
    tokens: [
      { token: "xoxb-local-test", user: "developer", scopes: ["chat:write", "channels:read", "channels:history"] },
    ],
  },
  twilio: {
    account: { sid: "AC00000000000000000000000000000000", auth_token: "twilio_test_auth_token" },
    phone_numbers: [{ phone_number: "+15551234567" }, { phone_number: "whatsapp:+15551234567" }],
  },
  resend: { domains: [{ name: "example.com", region: "us-east-1" }] },
};

const service = process.argv[2] ?? "stripe";
const seed = seeds[service] ? { [service]: seeds[service] } : undefined;
const emulator = await createEmulator({ service, port: 0, seed });
// It names itself localhost and listens on 127.0.0.1 alone; a client may try ::1 first.
console.log(JSON.stringify({ url: emulator.url.replace("localhost", "127.0.0.1") }));

// A test that is killed cannot stop what it started, but its end of the pipe closes.
if (process.argv.includes("--stop-with-stdin")) {
  process.stdin.on("end", () => process.exit(0)).resume();
}
