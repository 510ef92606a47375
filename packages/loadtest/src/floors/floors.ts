import { createClient } from '@connectrpc/connect'
import { MessagingInternalService } from '@parley/contracts/internal'
import { startNats } from '@parley/local/infrastructure'
import { connectBus, createRpcClient } from '@parley/rpc'
import { connect } from 'nats'
import pg from 'pg'
import { WebSocket } from 'ws'
import { startProgram } from '../load/child.ts'
import { summarize, time, type Timing } from '../load/timing.ts'

/** Measures a raw NATS request-reply between two processes, and a call of an empty RPC method over the same server. */
export async function measureNatsFloors(dir: string): Promise<Record<'raw' | 'raw64' | 'rpc' | 'rpc64', Timing>> {
  await using nats = await startNats({ dir })
  using _echo = await startProgram('nats-echo', [nats.url])
  using _service = await startProgram('rpc-echo', [nats.url])
  const raw = await connect({ servers: nats.url })
  const body = Buffer.alloc(32, 1)
  const request = () => raw.request('floor.echo', body, { timeout: 5_000, noMux: false })
  await using bus = await connectBus({ url: nats.url, name: 'gateway', purpose: 'rpc' })
  await using rpc = createRpcClient(bus, { name: 'gateway' })
  const messaging = createClient(MessagingInternalService, rpc.transport())
  const call = () => messaging.hasUnread({ userId: 'U0123456789abcd', roleIds: ['moderator'] })
  const timings = {
    raw: await time(request, { seconds: 1 }),
    rpc: await time(call, { seconds: 1 }),
    raw64: await time(request, { inFlight: 64, seconds: 1 }),
    rpc64: await time(call, { inFlight: 64, seconds: 1 }),
  }
  await raw.close()
  return timings
}

export async function measureCommitFloors(url: string): Promise<Record<'one' | 'many', Timing>> {
  const pool = new pg.Pool({ connectionString: url, max: 32 })
  await pool.query('create table if not exists floor (id bigserial primary key, body text not null)')
  const commit = () =>
    pool.query({ name: 'floor', text: 'insert into floor (body) values ($1)', values: ['a row of a few bytes'] })
  const timings = { one: await time(commit, { seconds: 2 }), many: await time(commit, { inFlight: 32, seconds: 2 }) }
  await pool.query('drop table floor')
  await pool.end()
  return timings
}

/**
 * Measures the time until the last of the sockets has received a frame published with raw uWebSockets by another
 * process. `publishes` includes the first `warmUp`, which are not counted.
 */
export async function measurePublishFloor(
  sockets: number,
  frame: Uint8Array,
  [publishes, warmUp] = [60, 10],
): Promise<Timing> {
  using publisher = await startProgram('publisher', [])
  const open: WebSocket[] = []
  let received: () => void = () => undefined
  for (let i = 0; i < sockets; i++) {
    const socket = new WebSocket(`ws://127.0.0.1:${String(publisher.ready)}/`, { perMessageDeflate: false })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.on('message', () => received())
    open.push(socket)
  }
  const message = Buffer.from(frame).toString('base64')
  const took: number[] = []
  for (let n = 0; n < publishes; n++) {
    const start = performance.now()
    await new Promise<void>((resolve) => {
      let left = sockets
      received = () => {
        if (--left === 0) resolve()
      }
      publisher.child.send(message)
    })
    if (n >= warmUp) took.push(performance.now() - start)
  }
  for (const socket of open) socket.terminate()
  return summarize(took, took.reduce((sum, ms) => sum + ms, 0) / 1000)
}
