import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import type { ParkedEventKey } from '@parley/contracts/internal'
import { misused } from './failure.ts'
import { formatCount } from './transfer/format-count.ts'
import type { CommandContext } from './command-context.ts'
import type { ParkedEventsClient } from './transfer/fleet.ts'

const pageSize = 500
const maxListed = 5_000

type Parked = {
  service: string
  consumer: string
  id: string
  subject: string
  attempts: number
  reason: string
  parkedAt: string
  replayRequested: boolean
}

export function addEventCommands(parent: Command, context: CommandContext): void {
  parent
    .command('parked')
    .description(`list parked events and jobs, each with the reason (about ${maxListed} per service at most)`)
    .action(() => listParked(context))
  parent
    .command('replay')
    .description('retry parked events and jobs; starts within half a minute')
    .option('--consumer <consumer>', 'only those of this consumer, as listed by events parked')
    .option('--id <event...>', 'ids of events and jobs, as listed by events parked')
    .option('--all', 'every parked event and job')
    .action((selection: { consumer?: string; id?: string[]; all?: true }) => replay(context, selection))
}

async function listParked({ access, print }: CommandContext): Promise<void> {
  const { withFleet } = await import('./transfer/fleet.ts')
  const events = await withFleet(access(), async ({ parkedEvents }) =>
    (await Promise.all(Object.entries(parkedEvents).map(([service, client]) => listAllParked(service, client)))).flat(),
  )
  const lines = events.map(
    ({ service, consumer, id, subject, attempts, reason, parkedAt, replayRequested }) =>
      `${service}  ${consumer}  ${id}  ${subject}  since ${parkedAt}  ${attempts} attempts` +
      `${replayRequested ? '  replay requested' : ''}\n  ${reason}`,
  )
  print({ json: { events }, text: lines.length === 0 ? 'no events are parked' : lines.join('\n') })
}

async function listAllParked(service: string, client: ParkedEventsClient): Promise<Parked[]> {
  const found: Parked[] = []
  for (let after: ParkedEventKey | undefined; found.length < maxListed;) {
    const { events } = await client.listParkedEvents({ limit: pageSize, ...(after && { after }) })
    for (const { key, subject, attempts, lastError: reason, parkedAt: at, replayRequested } of events) {
      const parkedAt = at ? timestampDate(at).toISOString() : ''
      const { consumer = '', eventId: id = '' } = key ?? {}
      found.push({ service, consumer, id, subject, attempts, reason, parkedAt, replayRequested })
    }
    after = events.at(-1)?.key
    if (events.length < pageSize) break
  }
  return found
}

async function replay(
  { access, print }: CommandContext,
  { consumer = '', id = [], all }: { consumer?: string; id?: string[]; all?: true },
): Promise<void> {
  if ((consumer !== '' || id.length > 0) === (all ?? false))
    throw misused('choose events with --consumer or --id, or use --all')
  const { withFleet } = await import('./transfer/fleet.ts')
  const requested = await withFleet(access(), async ({ parkedEvents }) => {
    const replays = Object.values(parkedEvents).map((client) => client.replayParkedEvents({ consumer, eventIds: id }))
    return (await Promise.all(replays)).reduce((sum, answer) => sum + answer.requested, 0)
  })
  print({
    json: { requested },
    text: `retrying ${formatCount(requested, 'events')}; events that fail again stay parked`,
  })
}
