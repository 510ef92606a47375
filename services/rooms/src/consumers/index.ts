import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { onAccessEvent, onProfileEvent } from './people.ts'

export async function startConsumers(host: DatabaseHost, ctx: Context): Promise<void> {
  await host.consume({ durable: 'people', subject: 'evt.user.>', beforeTransaction: onProfileEvent(ctx) })
  await host.consume({ durable: 'people-access', subject: 'evt.control.user.>', beforeTransaction: onAccessEvent(ctx) })
}
