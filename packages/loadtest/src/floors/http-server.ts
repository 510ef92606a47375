import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'nats'
import pg from 'pg'

// The servers of `measureCallFloors`, by `kind`. The server `answer` answers the requests of the server `hop`.
const [, , kind = 'http', postgres = '', nats = ''] = process.argv
const row = { name: 'floor', text: 'select id, body from floor_row where id = $1', values: [1] }

if (kind === 'answer') {
  const pool = new pg.Pool({ connectionString: postgres, max: 8 })
  const bus = await connect({ servers: nats })
  bus.subscribe('floor.read', {
    callback: (_, message) => {
      void pool.query(row).then(({ rows }) => message.respond(Buffer.from(JSON.stringify(rows))))
    },
  })
  await bus.flush()
  process.send?.('ready')
} else {
  const respond = await createResponder()
  const server = createServer((request, response) => {
    request.resume().on('end', () => void respond().then((body) => response.end(body)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}

async function createResponder(): Promise<() => Promise<Uint8Array>> {
  if (kind === 'hop') {
    const bus = await connect({ servers: nats })
    return async () => (await bus.request('floor.read', undefined, { timeout: 5_000 })).data
  }
  if (kind === 'http') return () => Promise.resolve(Buffer.from('[]'))
  const pool = new pg.Pool({ connectionString: postgres, max: 8 })
  return async () => Buffer.from(JSON.stringify((await pool.query(row)).rows))
}
