import type { DescMethod } from '@bufbuild/protobuf'
import { methodPath } from '@parley/contracts/catalogue'
import { counter } from '@parley/telemetry'

const replays = counter('parley.idempotency.replays', {
  description: 'Calls answered with the stored response of their idempotency key',
  unit: '{call}',
  labels: ['rpc.method'],
})

export const countReplay = (method: DescMethod): void => replays(1, { 'rpc.method': methodPath(method).slice(1) })
