import { startNats } from '@parley/local/infrastructure'
import type { Fleet } from '@parley/local'
import pg from 'pg'
import { HttpCaller } from '../load/http-caller.ts'
import { startProgram } from '../load/child.ts'
import { measureCall, type CallCosts } from '../load/call-costs.ts'

/** Budgets of docs/performance.md are multiples of the CPU time of `select`. */
export type CallFloors = Record<'http' | 'select' | 'hop', CallCosts>

/**
 * Measures three HTTP servers of Node.js: `http` responds directly, `select` after one prepared SELECT on the fleet's
 * PostgreSQL, and `hop` after a request over a separate NATS server to another process, which runs the SELECT. The HTTP
 * client is the one that also calls the fleet. The CPU time of the deployables is not counted.
 */
export async function measureCallFloors(fleet: Fleet, dir: string): Promise<CallFloors> {
  const postgres = fleet.postgresUrl('postgres')
  const excluded = new Set(fleet.services.map(({ pid }) => pid))
  const client = new pg.Client({ connectionString: postgres })
  await client.connect()
  await client.query('create table if not exists floor_row (id bigint primary key, body text)')
  await client.query("insert into floor_row values (1, 'a row of a few bytes') on conflict do nothing")
  await client.end()
  await using nats = await startNats({ dir })
  using _answer = await startProgram('http-server', ['answer', postgres, nats.url])
  const floors: Partial<CallFloors> = {}
  for (const kind of ['http', 'select', 'hop'] as const) {
    using server = await startProgram('http-server', [kind, postgres, nats.url])
    using http = new HttpCaller(`http://127.0.0.1:${String(server.ready)}`, 64)
    floors[kind] = await measureCall(() => http.post('/', 'application/proto', ''), { excluded })
  }
  return floors as CallFloors
}
