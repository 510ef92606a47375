import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'

export type Durable = { service: string; durable: string }

/**
 * A new durable begins at the first stored event; an existing one stays. Rejects if the keeper does not answer or
 * refuses, for example because the durable exists with another subject.
 */
export async function declareDurable(bus: Bus, { service, durable }: Durable, subject: string): Promise<void> {
  await requestKeeper(bus, 'durable', { durable, subject, anew: false }, service)
}
