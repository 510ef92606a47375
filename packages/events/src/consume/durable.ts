import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'

/** A durable consumer, identified by its deployable and name. */
export type Durable = { service: string; durable: string }

/**
 * Requests that the keeper creates a durable consumer unless it exists; it begins at the first stored event. Rejects if
 * the keeper does not answer or the consumer exists for another subject.
 */
export async function declareDurable(bus: Bus, { service, durable }: Durable, subject: string): Promise<void> {
  await requestKeeper(bus, 'durable', { durable, subject, anew: false }, service)
}
