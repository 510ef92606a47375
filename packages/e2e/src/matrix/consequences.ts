import { AdminDiagnosticsService } from '@parley/contracts/admin'
import { Resources } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { databaseOf } from '../databases.ts'
import type { Person } from '../people.ts'

const outbox = 'outbox where relayed_at is null'

/**
 * Consumers that publish further events, in causal order. `durables` must have handled all events, and the queries in
 * `waits`, by service, must find no rows.
 */
const causes: { durables?: RegExp; waits: Record<string, string[]> }[] = [
  { waits: { messaging: [outbox] } },
  { durables: /^(calls|uploads)-/, waits: { calls: ['handovers'], uploads: ['handovers'] } },
  { durables: /^messaging-/, waits: { messaging: [outbox] } },
  { durables: /^notifications-/, waits: { notifications: ['notification_jobs', outbox] } },
]
const services = [...new Set(causes.flatMap(({ waits }) => Object.keys(waits)))]

/** Services may still retry calls that failed in earlier tests, with growing delays. */
const longTimeout = { timeoutMs: 100_000 }

/** Waits until all events that earlier actions cause have been published. */
export async function waitForConsequences(owner: Person): Promise<void> {
  await using resources = new Resources()
  const open = async (service: string) => [service, resources.use(await databaseOf(service))] as const
  const databases = new Map(await Promise.all(services.map(open)))
  const lagging = async (durables: RegExp) => {
    const { projections } = await owner.call(AdminDiagnosticsService.method.getSystemInfo, {})
    return projections.filter(({ key, lag }) => durables.test(key) && lag > 0n).map(({ key }) => key)
  }
  for (const { durables, waits } of causes)
    await eventually(async () => {
      const behind = durables ? await lagging(durables) : []
      for (const [service, tables] of Object.entries(waits))
        for (const rows of tables) {
          const found = await databases.get(service)?.query<{ n: string }>(`select count(*) as n from ${rows}`)
          if (found?.rows[0]?.n !== '0') behind.push(`${service}: ${rows}`)
        }
      if (behind.length > 0) throw new Error(`not done yet: ${behind.join(', ')}`)
    }, longTimeout)
}
