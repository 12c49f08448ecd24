// Runs modules, each in a worker thread of its own, so that none sees what another left behind. A line with a module's path
// comes in, a line of JSON goes out.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const failed = (why) => JSON.stringify({ error: why });

for await (const path of createInterface({ input: process.stdin })) {
  const worker = new Worker(pathToFileURL(path), { stdout: true, stderr: true }); // what it prints is no answer
  const answer = await new Promise((resolve) => {
    worker.once("message", resolve);
    worker.once("error", (error) => resolve(failed(String(error.stack))));
    worker.once("exit", () => resolve(failed("the module posted no answer")));
  });
  await worker.terminate();
  process.stdout.write(`${answer}\n`);
}
