import type { PushSettings } from '@parley/config'
import { publicExcept, type NameResolver } from '@parley/outbound'
import type { Db } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import type { PushNetwork } from './endpoint.ts'
import { maintainQueue } from './maintain-queue.ts'
import type { ServiceClients } from './service-clients.ts'
import { retryLimits } from './retries.ts'
import { startSender, type SenderOptions } from './sender.ts'

export type Push = { enabled: boolean; network: PushNetwork }

export type PushOverrides = Partial<Pick<SenderOptions, 'network' | 'retryLimits' | 'pollMs'>>

const pollMs = 10_000

type NetworkOptions = { allowPrivate: boolean; privateNetworks: readonly string[]; names: NameResolver }

export const pushNetwork = ({ allowPrivate, privateNetworks, names }: NetworkOptions): PushNetwork => ({
  isAllowed: allowPrivate ? () => true : publicExcept(privateNetworks),
  resolve: names.resolve,
  allowPlain: allowPrivate,
})

type Options = { db: Db; settings: PushSettings | undefined; services: ServiceClients } & Pick<
  SenderOptions,
  'network'
> &
  PushOverrides

export function startPushes({ settings, ...options }: Options): AsyncDisposable {
  const resources = new Resources()
  resources.use(maintainQueue(options.db, { isSending: settings !== undefined }))
  if (settings) resources.use(startSender({ retryLimits, pollMs, ...options, settings }))
  return resources
}
