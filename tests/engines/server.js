import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./until.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** @returns {Promise<number>} a port of the loopback that is free now */
export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the system gives no port");
  return address.port;
}

/**
 * Starts a program, and ends it together with what it has started.
 * @param {string} command
 * @param {string[]} given
 * @param {NodeJS.ProcessEnv} [environment]
 */
export function start(command, given, environment = process.env) {
  const child = spawn(command, given, { cwd: ROOT, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said = (said + bytes).slice(-4000)));
  child.on("error", (error) => (said += `${command}: ${error.message}. \`make browsers\` as root installs what is missing.`));
  const ended = new Promise((resolve) => child.once("close", resolve).once("error", resolve));
  return {
    /** What it has written last. */
    said: () => said,
    /** @returns {Promise<void>} */
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await ended;
    },
  };
}

/** The program on a free port, which the system chooses. It does without Numba: no page needs it, and its kernels take minutes to compile. */
export async function startServer() {
  const first = mkdtempSync(join(tmpdir(), "without-numba-"));
  writeFileSync(join(first, "numba.py"), "raise ImportError\n");
  const server = start(".venv/bin/python", ["-m", "uvicorn", "app.main:app", "--port", "0"], { ...process.env, PYTHONPATH: first });
  const url = await until(
    () => /running on (http:\/\/127\.0\.0\.1:\d+)/.exec(server.said())?.[1] ?? "",
    () => `the server starts: ${server.said()}`,
  );
  await until(() => fetch(`${url}/healthz`).then((answer) => answer.ok, () => false), () => `the server answers: ${server.said()}`);
  const stop = async () => {
    await server.stop();
    rmSync(first, { recursive: true });
  };
  return { url, stop };
}
