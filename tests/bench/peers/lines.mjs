// The line protocol of drivers, and the unguarded call; see README.md.
import { createInterface } from "node:readline";
import { Pool } from "undici";

// As long as the others' keys, which are UUIDs.
const keyOf = (seed, number) => `${seed}-${number}`.padEnd(36, "x");

const bodyOf = (key) => JSON.stringify({
  amount: 1999,
  currency: "eur",
  customer: `cus_${key}`,
  description: `an order, padded to what a small charge carries: ${".".repeat(48)}`,
});

// undici's pool, not fetch: the fastest of the usual clients of Node, so that the guard's cost shows.
export function provider(address) {
  const pool = new Pool(address, { connections: 128 });
  return async (key) => {
    const answer = await pool.request({
      path: "/charge",
      method: "POST",
      headers: { "idempotency-key": key, "content-type": "application/json" },
      body: bodyOf(key),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    return text;
  };
}

async function load(call, { callers, seconds, seed, replay_of, most }) {
  const took = [];
  let next = 0;
  let errors = 0;
  const began = performance.now();
  const end = began + seconds * 1000;
  const caller = async () => {
    for (;;) {
      const from = performance.now();
      const number = next++;
      if (from >= end || (most != null && number >= most)) return;
      try {
        await call(keyOf(seed, replay_of ? number % replay_of : number));
        took.push(performance.now() - from);
      } catch (error) {
        if (errors++ < 3) console.error("a call failed:", String(error).slice(0, 300));
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const ran = (performance.now() - began) / 1000;
  took.sort((one, other) => one - other);
  const part = (hundredths) => Math.round((took[Math.floor(((took.length - 1) * hundredths) / 100)] ?? 0) * 1000);
  return { ops: took.length, errors, seconds: ran, p50_us: part(50), p99_us: part(99), max_us: part(100) };
}

export async function serve(call) {
  console.log(JSON.stringify({ ready: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await load(call, JSON.parse(line).load)));
  }
}
