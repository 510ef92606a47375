import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'

/** A durable consumer by whose and which it is. */
export type Durable = { service: string; durable: string }

/**
 * Has a durable consumer made if it is missing; it begins at the first event there is. Rejects when the keeper does not
 * answer, and when the consumer exists for another subject.
 */
export async function declareDurable(bus: Bus, { service, durable }: Durable, subject: string): Promise<void> {
  await requestKeeper(bus, 'durable', { durable, subject, anew: false }, service)
}
