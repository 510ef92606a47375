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
/** Services that did less than this are not shown, in milliseconds. */
const leastMs = 50
const timeoutMs = 30_000

const help = `make profile CALL=GetViewer: shows where the processor time of a kind of call goes

Starts a fleet of its own, makes the call for ${seconds} seconds with ${inFlight} in flight, and writes for each service that worked
profiles/<call>/<service>.html, a flame graph, and <service>.cpuprofile for the developer tools of a browser.
Without CALL it lists the calls there are.`

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(help)
  const wanted = process.argv.slice(2).join(' ')
  const dir = mkdtempSync(join(tmpdir(), 'parley-profile-'))
  // PostgreSQL runs as another user when this is root: it must be able to enter.
  chmodSync(dir, 0o755)
  try {
    const options = fleetOptions(join(dir, 'data'))
    const preload = fileURLToPath(new URL('./profile/profiled.js', import.meta.url))
    const env = { ...options.env, NODE_OPTIONS: `--import ${preload}`, PARLEY_PROFILES: dir }
    await using fleet = await startFleet({ ...options, env })
    using http = new HttpCaller(fleet.url, inFlight)
    await http.signIn(owner)
    const calls = measuredCalls(http, await createBenchmarkData(fleet, http, owner))
    const call = calls.find(({ name }) => name === wanted || name.startsWith(`${wanted} (`))
    if (call) await profile(fleet, call, dir)
    else console.log(calls.map(({ name }) => name).join('\n'))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function profile(fleet: Fleet, { name, calls, make }: MeasuredCall, dir: string): Promise<void> {
  const signal = () => fleet.services.forEach(({ pid }) => process.kill(pid, 'SIGUSR2'))
  await time(make, { inFlight, seconds: 2, warmUpSeconds: 0 })
  signal()
  const took = await time(make, { inFlight, seconds, warmUpSeconds: 0 })
  signal()
  const made = took.count * calls
  console.log(`${name}: ${made} calls in ${seconds} s`)
  const folder = join(repositoryRoot(), 'profiles', name.split(/[ ,]/)[0] ?? name)
  mkdirSync(folder, { recursive: true })
  for (const service of fleet.services) {
    const written = await fileOf(join(dir, `${service.pid}.cpuprofile`))
    const title = `${service.name}, ${made} times ${name}`
    const { html, busyMs } = flameGraph(title, JSON.parse(written) as CpuProfile)
    if (busyMs < leastMs) continue
    writeFileSync(join(folder, `${service.name}.html`), html)
    writeFileSync(join(folder, `${service.name}.cpuprofile`), written)
    console.log(
      `${service.name.padEnd(14)} ${(busyMs / made).toFixed(3)} ms a call   ${join(folder, `${service.name}.html`)}`,
    )
  }
}

/** The profile that a process writes on request; it is complete once it can be parsed. */
async function fileOf(path: string): Promise<string> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(100)) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (text.endsWith('}')) return text
  }
  throw new Error('a process wrote no profile')
}

await main()
