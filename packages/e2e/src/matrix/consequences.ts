import { AdminDiagnosticsService } from '@parley/contracts/admin'
import { eventually } from '@parley/testkit'
import { databaseOf } from '../databases.ts'
import type { Person } from '../people.ts'

/** Consumers that publish further events, in causal order. */
const causes: { service: string; waits: string[]; durables: RegExp }[] = [
  { service: 'messaging', waits: ['outbox where relayed_at is null'], durables: /^$/ },
  { service: 'calls', waits: ['handovers'], durables: /^calls-/ },
  { service: 'uploads', waits: ['handovers'], durables: /^uploads-/ },
  { service: 'messaging', waits: ['outbox where relayed_at is null'], durables: /^messaging-/ },
  {
    service: 'notifications',
    waits: ['notification_jobs', 'outbox where relayed_at is null'],
    durables: /^notifications-/,
  },
]

/** Earlier failures may still be retried, with growing delays. */
const patience = { timeoutMs: 100_000 }

/** Resolves when all consequences of earlier actions have been published. */
export async function consequences(owner: Person): Promise<void> {
  for (const { service, waits, durables } of causes) {
    await using database = await databaseOf(service)
    await eventually(async () => {
      const { projections } = await owner.call(AdminDiagnosticsService.method.getSystemInfo, {})
      const behind = projections.filter(({ key, lag }) => durables.test(key) && lag > 0n).map(({ key }) => key)
      for (const rows of waits) {
        const { rows: found } = await database.query<{ n: string }>(`select count(*) as n from ${rows}`)
        if (found[0]?.n !== '0') behind.push(`${service}: ${rows}`)
      }
      if (behind.length > 0) throw new Error(`not done yet: ${behind.join(', ')}`)
    }, patience)
  }
}
