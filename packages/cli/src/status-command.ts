import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { exitCodes, Failure, misused, unreachable } from './failure.ts'
import { fetchNode } from './status/fetch-node.ts'
import { nodesAt, nodesOf } from './status/find-nodes.ts'
import { asText, fleetStatus, type FleetStatus } from './status/fleet-status.ts'
import type { CommandContext } from './command-context.ts'

type Options = { at?: string[]; watch?: string | true }

export function addStatusCommand(parent: Command, { print, dataDir }: CommandContext): Command {
  return parent
    .command('status')
    .description(
      'show each process: version, readiness, sockets, lag, last errors; exits with 0 only if every deployable is ready',
    )
    .option(
      '--at <hosts...>',
      'internal ports, such as parley-internal:9090; each address of a host name is one process',
    )
    .option('--watch [seconds]', 'repeat every 2 seconds, or at the given interval, until interrupted')
    .action(async ({ at, watch }: Options) => {
      const seconds = watch === true || watch === undefined ? 2 : Number(watch)
      if (!(seconds >= 0.01 && seconds <= 86_400)) throw misused('--watch needs an interval of 0.01 to 86400 seconds')
      // Resolve the names again each time, because processes come and go.
      const find = async () => (at ? await nodesAt(at) : nodesOf(dataDir()))
      for (let nodes = await find(); ; nodes = await find().catch(noNodesIfUnreachable)) {
        const status = fleetStatus(await Promise.all(nodes.map(fetchNode)))
        const text = asText(status)
        print({ json: status, text: watch === undefined ? text : `${text}\n` })
        if (watch === undefined) return assertReady(status)
        await sleep(seconds * 1_000)
      }
    })
}

/** While a watched fleet restarts, as in an upgrade, it has no processes. */
function noNodesIfUnreachable(error: unknown): [] {
  if (error instanceof Failure && error.exitCode === exitCodes.unreachable) return []
  throw error
}

function assertReady({ ready, nodes, missing }: FleetStatus): void {
  if (nodes.every(({ state }) => state === 'unreachable')) throw unreachable('no process of the fleet can be reached')
  const affected = nodes.filter(({ outages }) => outages.length > 0)
  const outages = affected.length === 0 ? '' : `, ${affected.length} processes report an outage`
  const unready = nodes.filter(({ state }) => state !== 'ready').length
  if (!ready)
    throw new Failure(
      exitCodes.refused,
      'failed_precondition',
      `${unready} processes are not ready, ${missing.length} deployables have no process${outages}`,
    )
}
