import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import type { ParkedEventKey } from '@parley/contracts/internal'
import { misused } from './failure.ts'
import type { Surroundings } from './surroundings.ts'
import type { ParkedEventsOf } from './transfer/fleet.ts'

const perPage = 500
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

/** Adds `events parked` and `events replay`. */
export function addEventCommands(parent: Command, surroundings: Surroundings): void {
  parent
    .command('parked')
    .description('list parked events and jobs with the reasons')
    .action(() => listParked(surroundings))
  parent
    .command('replay')
    .description('retry parked events and jobs, within half a minute')
    .option('--consumer <consumer>', 'only events of this consumer, as listed')
    .option('--id <event...>', 'these events, as listed')
    .option('--all', 'every parked event')
    .action((those: { consumer?: string; id?: string[]; all?: true }) => replay(surroundings, those))
}

async function listParked({ access, print }: Surroundings): Promise<void> {
  const { withFleet } = await import('./transfer/fleet.ts')
  const events = await withFleet(access(), async ({ parkedEvents }) =>
    (await Promise.all(Object.entries(parkedEvents).map(([service, of]) => parkedOf(service, of)))).flat(),
  )
  const lines = events.map(
    ({ service, consumer, id, subject, attempts, reason, parkedAt, replayRequested }) =>
      `${service}  ${consumer}  ${id}  ${subject}  since ${parkedAt}  ${attempts} tries` +
      `${replayRequested ? '  is being replayed' : ''}\n  ${reason}`,
  )
  print({ json: { events }, text: lines.length === 0 ? 'no events are parked' : lines.join('\n') })
}

async function parkedOf(service: string, of: ParkedEventsOf): Promise<Parked[]> {
  const found: Parked[] = []
  for (let after: ParkedEventKey | undefined; found.length < maxListed;) {
    const { events } = await of.listParkedEvents({ limit: perPage, ...(after && { after }) })
    for (const { key, subject, attempts, lastError: reason, parkedAt: at, replayRequested } of events) {
      const parkedAt = at ? timestampDate(at).toISOString() : ''
      const { consumer = '', eventId: id = '' } = key ?? {}
      found.push({ service, consumer, id, subject, attempts, reason, parkedAt, replayRequested })
    }
    after = events.at(-1)?.key
    if (events.length < perPage) break
  }
  return found
}

async function replay(
  { access, print }: Surroundings,
  { consumer = '', id = [], all }: { consumer?: string; id?: string[]; all?: true },
): Promise<void> {
  if ((consumer !== '' || id.length > 0) === (all ?? false))
    throw misused('name the events with --consumer or --id, or add --all')
  const { withFleet } = await import('./transfer/fleet.ts')
  const requested = await withFleet(access(), async ({ parkedEvents }) => {
    const replays = Object.values(parkedEvents).map((of) => of.replayParkedEvents({ consumer, eventIds: id }))
    return (await Promise.all(replays)).reduce((sum, answer) => sum + answer.requested, 0)
  })
  const what = requested === 1 ? 'event is' : 'events are'
  print({ json: { requested }, text: `${requested} ${what} retried; those that fail again stay listed` })
}
