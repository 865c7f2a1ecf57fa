// Beside the types that openapi-typescript made: real calls, which the compiler has checked against them.
import type { components, paths } from "./made.js";

declare const process: { argv: string[]; exitCode?: number };
const [url, token] = process.argv.slice(2);

type Enqueue = paths["/api/v1/jobs"]["post"];
type JobRequest = Enqueue["requestBody"]["content"]["application/json"];
type Job = Enqueue["responses"][201]["content"]["application/json"];
type Jobs = paths["/api/v1/jobs"]["get"]["responses"][200]["content"]["application/json"];
type Problem = paths["/api/v1/jobs"]["get"]["responses"][401]["content"]["application/problem+json"];
type Status = components["schemas"]["JobStatus"];

async function ask<Answer>(path: keyof paths, query = "", body?: unknown, secret = token): Promise<[number, Answer]> {
  const answer = await fetch(`${url}${path}${query}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return [answer.status, (await answer.json()) as Answer];
}

function expect(holds: boolean, what: unknown): void {
  if (!holds) throw new Error(JSON.stringify(what));
}

const greeting: JobRequest = { definition: "greet", payload: { name: "Ann" }, delay_seconds: 3600 };
const [made, job] = await ask<Job>("/api/v1/jobs", "", greeting);
const waiting: Status = "scheduled";
expect(made === 201 && job.status === waiting, job);
const [, jobs] = await ask<Jobs>("/api/v1/jobs", `?status=${waiting}`);
expect(jobs.items.length === 1 && jobs.items[0].id === job.id, jobs);
const [refused, problem] = await ask<Problem>("/api/v1/jobs", "", undefined, "hr_nobody");
expect(refused === 401 && problem.code === "unauthenticated", problem);
console.log("all calls were right");
