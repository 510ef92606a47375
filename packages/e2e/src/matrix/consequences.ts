import { AdminDiagnosticsService } from '@parley/contracts/admin'
import { Resources } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { databaseOf } from '../databases.ts'
import type { Person } from '../people.ts'

const outbox = 'outbox where relayed_at is null'

/**
 * What to wait for, in causal order. Consumers whose names match `durables` must have handled all events; the tables,
 * or parts of them, in `pending` must be empty.
 */
const conditions: { durables?: RegExp; pending: Record<string, string[]> }[] = [
  { pending: { messaging: [outbox] } },
  { durables: /^(calls|uploads)-/, pending: { calls: ['handovers'], uploads: ['handovers'] } },
  { durables: /^messaging-/, pending: { messaging: [outbox] } },
  { durables: /^notifications-/, pending: { notifications: ['notification_jobs', outbox] } },
]
const services = [...new Set(conditions.flatMap(({ pending }) => Object.keys(pending)))]

/** Services may still retry calls that failed in earlier tests, with growing delays. */
const longTimeout = { timeoutMs: 100_000 }

export async function waitForConsequences(owner: Person): Promise<void> {
  await using resources = new Resources()
  const open = async (service: string) => [service, resources.use(await databaseOf(service))] as const
  const databases = new Map(await Promise.all(services.map(open)))
  const findLagging = async (durables: RegExp) => {
    const { projections } = await owner.call(AdminDiagnosticsService.method.getSystemInfo, {})
    return projections.filter(({ key, lag }) => durables.test(key) && lag > 0n).map(({ key }) => key)
  }
  for (const { durables, pending } of conditions)
    await eventually(async () => {
      const behind = durables ? await findLagging(durables) : []
      for (const [service, tables] of Object.entries(pending))
        for (const rows of tables) {
          const found = await databases.get(service)?.query<{ n: string }>(`select count(*) as n from ${rows}`)
          if (found?.rows[0]?.n !== '0') behind.push(`${service}: ${rows}`)
        }
      if (behind.length > 0) throw new Error(`not done yet: ${behind.join(', ')}`)
    }, longTimeout)
}
