import type { PushSettings } from '@parley/config'
import { publicExcept, type NameResolver } from '@parley/outbound'
import type { Db } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import type { PushNetwork } from './endpoint.ts'
import { keepQueue } from './keep-queue.ts'
import type { Neighbours } from './neighbours.ts'
import { retryLimits } from './retries.ts'
import { startSender, type SenderOptions } from './sender.ts'

/** Push settings for handlers. */
export type Push = { enabled: boolean; network: PushNetwork }

/** Parts that tests replace. */
export type PushOverrides = Partial<Pick<SenderOptions, 'network' | 'retryLimits' | 'pollMs'>>

const pollMs = 10_000

type Allowed = { allowPrivate: boolean; privateNetworks: readonly string[]; names: NameResolver }

/** The allowed push services. Throws for an invalid network. */
export const pushNetwork = ({ allowPrivate, privateNetworks, names }: Allowed): PushNetwork => ({
  isAllowed: allowPrivate ? () => true : publicExcept(privateNetworks),
  resolve: names.resolve,
  allowPlain: allowPrivate,
})

type Options = { db: Db; settings: PushSettings | undefined; neighbours: Neighbours } & Pick<SenderOptions, 'network'> &
  PushOverrides

/** Sends queued pushes if push is configured, and deletes old ones from the queue. */
export function startPushes({ settings, ...options }: Options): AsyncDisposable {
  const opened = new Resources()
  opened.use(keepQueue(options.db, { isSending: settings !== undefined }))
  if (settings) opened.use(startSender({ retryLimits, pollMs, ...options, settings }))
  return opened
}
