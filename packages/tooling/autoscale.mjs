/**
 * `pnpm autoscale` runs the fleet on this machine and scales its realtime nodes by the metrics, targets and behaviour
 * of the chart (helm/parley/files/scaling.yaml), with the algorithm that Kubernetes documents.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { HorizontalAutoscaler } from './scaling/horizontal-autoscaler.mjs'
import { LocalFleet } from './scaling/local-fleet.mjs'
import { NodeScaler } from './scaling/node-scaler.mjs'
import { scalingOf } from './scaling/scaling-file.mjs'

const help = `pnpm autoscale [--min <n>] [--max <n>] [--target <metric>=<value>]... [--faster <n>] [--every <seconds>] [--json]

Runs the fleet on this machine, as make run does and with the same settings, and scales its realtime nodes like the
HorizontalPodAutoscaler of the chart, by what they report at /metrics. Build first: make bootstrap.
  --min, --max <n>          minimum and maximum number of nodes; default 1 and 3. The fleet starts with PARLEY_REPLICAS
  --target <metric>=<value> average over the nodes to aim for, instead of the target in helm/parley/files/scaling.yaml
  --faster <n>              divides the times in that file by n, for demonstrations: 60 turns minutes into seconds
  --every <seconds>         time between two decisions; default 15, as in Kubernetes
  --json                    prints a line of JSON for each decision and each completed change on standard output, and
                            the output of the fleet on standard error
  --help                    this text

Gateways forward sockets to the first node. Clients reach the others only through a load balancer that reads the ready
file (PARLEY_READY_FILE).`

const name = 'realtime'
const { values } = parseArgs({
  options: {
    min: { type: 'string', default: '1' },
    max: { type: 'string', default: '3' },
    target: { type: 'string', multiple: true, default: [] },
    faster: { type: 'string', default: '1' },
    every: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) {
  console.log(help)
  process.exit()
}

const rateWindowSeconds = 120
const [minReplicas, maxReplicas] = ['min', 'max'].map((option) => whole(values[option], `--${option}`))
const [faster, every] = ['faster', 'every'].map((option) => positive(values[option], `--${option}`))
const everyMs = every * 1000
const { targets, behavior } = scalingOf(name, faster)
for (const [metric, target] of values.target.map((text) => text.split('='))) {
  if (!(metric in targets)) refuse(`--target: ${metric} is not one of ${Object.keys(targets).join(', ')}`)
  targets[metric] = positive(target, `--target ${metric}`)
}
const autoscaler = new HorizontalAutoscaler({ targets, behavior, minReplicas, maxReplicas })
let scaler

const stopping = new AbortController()
const fleet = new LocalFleet({
  output: values.json ? 2 : 'inherit',
  onReady: () => {
    const rateWindow = { rateWindowSeconds: rateWindowSeconds / faster, scrapeMs: everyMs }
    scaler = new NodeScaler({ name, fleet, autoscaler, metricNames: Object.keys(targets), ...rateWindow })
    void decideUntilStopped()
  },
  onScaled: (count) => {
    // Any other count belongs to an earlier decision.
    if (count === scaler.wanted) report({ scaled: count }, `${count} nodes are serving`)
  },
  onEnd: (code) => process.exit(code),
})
// Ctrl-C reaches the whole process group: the fleet ends first, then this process.
process.on('SIGINT', () => stopping.abort())
for (const signal of ['SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    stopping.abort()
    fleet.kill(signal)
  })

async function decideUntilStopped() {
  const { signal } = stopping
  while (!signal.aborted) {
    await decide()
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}

async function decide() {
  const decision = await scaler.decide()
  const { wanted, metrics, next } = decision
  const shown = Object.entries(metrics).map(([metric, values]) => `${metric} ${values.map(round).join(', ')}`)
  report(decision, `${wanted} nodes: ${shown.join('; ')}; next: ${next} nodes`)
  if (!stopping.signal.aborted) scaler.apply(decision)
}

function positive(text, option) {
  const number = Number(text)
  return number > 0 ? number : refuse(`${option}: must be a number above 0`)
}

function whole(text, option) {
  const number = positive(text, option)
  return Number.isInteger(number) ? number : refuse(`${option}: must be a whole number`)
}

function refuse(problem) {
  console.error(problem)
  process.exit(2)
}

function round(value) {
  return value === undefined ? '?' : Number(value.toPrecision(3))
}

function report(record, text) {
  const at = new Date()
  console.log(
    values.json ? JSON.stringify({ at: at.getTime(), ...record }) : `${at.toTimeString().slice(0, 8)} ${text}`,
  )
}
