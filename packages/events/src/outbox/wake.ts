import type { Msg } from 'nats'
import type { Bus } from '@parley/rpc'
import { relaysSubject, wakeSubject } from '../subjects.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function notifyHolder(bus: Bus, service: string, shard: number, ids: readonly bigint[]): void {
  if (bus.connected()) bus.nc.publish(wakeSubject(service, shard), encodeIds(ids))
}

/** Makes the relays of a service check the leases, because a relay started or stopped, or shards are free. */
export function notifyRelays(bus: Bus, service: string): void {
  if (bus.connected()) bus.nc.publish(relaysSubject(service))
}

export function onRelaysChanged(bus: Bus, service: string, onChange: () => void): Disposable {
  const subscription = bus.nc.subscribe(relaysSubject(service), { callback: (error) => error ?? onChange() })
  return { [Symbol.dispose]: () => subscription.unsubscribe() }
}

/**
 * Wakes the holder of a shard and waits for its answer that the stream has the entries. Rejects if none comes in time.
 */
export async function requestWake(bus: Bus, service: string, shard: number, ids: readonly bigint[], timeoutMs: number) {
  await bus.nc.request(wakeSubject(service, shard), encodeIds(ids), { timeout: timeoutMs })
}

/**
 * Receives the messages of `notifyHolder` and `requestWake`. `onWake` resolves when the entries are stored; then a
 * request (`wantsAnswer`) is answered.
 */
export function serveWakes(
  bus: Bus,
  service: string,
  shard: number,
  onWake: (ids: bigint[], wantsAnswer: boolean) => Promise<void>,
): Disposable {
  const subscription = bus.nc.subscribe(wakeSubject(service, shard), {
    callback: (error, message) => {
      if (error === null) void answer(message, onWake)
    },
  })
  return { [Symbol.dispose]: () => subscription.unsubscribe() }
}

async function answer(message: Msg, onWake: (ids: bigint[], wantsAnswer: boolean) => Promise<void>): Promise<void> {
  try {
    await onWake(decodeIds(message.data), message.reply !== undefined && message.reply !== '')
    message.respond()
  } catch {}
}

function encodeIds(ids: readonly bigint[]): Uint8Array {
  return encoder.encode(ids.join(' '))
}

function decodeIds(data: Uint8Array): bigint[] {
  const text = decoder.decode(data)
  return text === '' ? [] : text.split(' ').map(BigInt)
}
