import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { repositoryRoot, startFleet, type Fleet } from '@parley/local'
import { measuredCalls, type MeasuredCall } from './cost/calls.ts'
import { createBenchmarkData } from './cost/benchmark-data.ts'
import { fleetOptions, owner } from './fleet-options.ts'
import { HttpCaller } from './load/http-caller.ts'
import { time } from './load/timing.ts'
import { flameGraph, type CpuProfile } from './profile/flame-graph.ts'

const seconds = 8
const inFlight = 8
const minBusyMs = 50
const timeoutMs = 30_000

const help = `make profile CALL=GetViewer: shows where the CPU time of a kind of call is spent

Starts a temporary fleet, and makes the call for ${seconds} seconds with ${inFlight} in flight. Writes two files for each service that used at
least ${minBusyMs} ms of CPU time: profiles/<call>/<service>.html, a flame graph, and <service>.cpuprofile for the developer tools of
a browser. Without CALL, or with an unknown one, it lists all calls.`

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(help)
  const callName = process.argv.slice(2).join(' ')
  const dir = mkdtempSync(join(tmpdir(), 'parley-profile-'))
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(dir, 0o755)
  try {
    const options = fleetOptions(join(dir, 'data'))
    const preload = fileURLToPath(new URL('./profile/preload.js', import.meta.url))
    const env = { ...options.env, NODE_OPTIONS: `--import ${preload}`, PARLEY_PROFILES: dir }
    await using fleet = await startFleet({ ...options, env })
    using http = new HttpCaller(fleet.url, inFlight)
    await http.signIn(owner)
    const calls = measuredCalls(http, await createBenchmarkData(fleet, http, owner))
    const call = calls.find(({ name }) => name === callName || name.startsWith(`${callName} (`))
    if (call) await profile(fleet, call, dir)
    else console.log(calls.map(({ name }) => name).join('\n'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function profile(fleet: Fleet, { name, callsPerRun, make }: MeasuredCall, dir: string): Promise<void> {
  const signal = () => fleet.services.forEach(({ pid }) => process.kill(pid, 'SIGUSR2'))
  await time(make, { inFlight, seconds: 2, warmUpSeconds: 0 })
  signal()
  const { count } = await time(make, { inFlight, seconds, warmUpSeconds: 0 })
  signal()
  const made = count * callsPerRun
  console.log(`${name}: ${made} calls in ${seconds} s`)
  const directory = join(repositoryRoot(), 'profiles', name.split(/[ ,]/)[0] ?? name)
  mkdirSync(directory, { recursive: true })
  for (const service of fleet.services) {
    const written = await readProfile(join(dir, `${service.pid}.cpuprofile`))
    const title = `${service.name}, ${made} times ${name}`
    const { html, busyMs } = flameGraph(title, JSON.parse(written) as CpuProfile)
    if (busyMs < minBusyMs) continue
    writeFileSync(join(directory, `${service.name}.html`), html)
    writeFileSync(join(directory, `${service.name}.cpuprofile`), written)
    console.log(
      `${service.name.padEnd(14)} ${(busyMs / made).toFixed(3)} ms a call   ${join(directory, `${service.name}.html`)}`,
    )
  }
}

async function readProfile(path: string): Promise<string> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(100)) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (text.endsWith('}')) return text
  }
  throw new Error(`${path} was not written within ${timeoutMs / 1000} seconds`)
}

await main()
