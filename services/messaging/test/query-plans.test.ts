import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { openDatabase, type Database } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { testDatabase } from '@parley/testkit'
import { readNewerReplies, readOlderReplies, readRepliesAround } from '../src/store/thread-events.ts'
import { readAround, readNewer, readOlder } from '../src/store/timeline.ts'

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  Plans?: Plan[]
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

const opened = new Resources()
let open: Database
beforeAll(async () => {
  const database = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  open = opened.use(await openDatabase({ url: database.url, pool: 1, name: 'test' }))
  await open.pool.query(`
    insert into room_lines (room_id, version, room_seq, fact_entry, kind, group_id, universal, archived, name, participant_ids)
    select 'R' || r, 1, 40000, 1, 'channel', 'G', false, false, '', '{}' from generate_series(1, 20) r;
    insert into line_members select 'R' || r, 'ann', true, 1 from generate_series(1, 20) r;
    insert into room_events (
      room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body, thread_root_event_id
    )
    select 'R1', n, 'E' || n, 'message_posted', n % 5 <> 0 or n = 20000, 'ann', now(), 'x',
      case when n % 5 = 0 and n <> 20000 then 'E1' end
    from generate_series(1, 40000) n;
    insert into room_events (room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body)
    select 'R' || r, n, 'E' || n, 'message_posted', true, 'ann', now(), 'x'
    from generate_series(2, 20) r, generate_series(1, 500) n;
    analyze`)
})
afterAll(async () => opened[Symbol.asyncDispose]())

const end = (2n ** 63n - 1n).toString()

test.each([
  ['the latest page', 'room_events_timeline', readOlder.text, [end, 51]],
  ['an older page', 'room_events_timeline', readOlder.text, ['20000', 51]],
  ['a newer page', 'room_events_timeline', readNewer.text, ['20000', 51]],
  ['a page around a row', 'room_events_timeline', readAround.text, ['E20000', 50]],
  ['the latest page of a thread', 'room_events_thread', readOlderReplies.text, ['E1', end, 51]],
  ['an older page of a thread', 'room_events_thread', readOlderReplies.text, ['E1', '20000', 51]],
  ['a newer page of a thread', 'room_events_thread', readNewerReplies.text, ['E1', '20000', 51]],
  ['a page around a reply', 'room_events_thread', readRepliesAround.text, ['E1', 'E20005', 50]],
])('%s reads its own rows by the index and no others', async (_, index, text, values) => {
  const { rows } = await open.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, format json) ${text}`, [
    'R1',
    'ann',
    ...values,
  ])
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  const all = plan ? nodes(plan) : []
  expect(all.map((node) => node['Index Name'])).toContain(index)
  expect(all.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'room_events')).toEqual([])
  for (const node of all) expect(node['Actual Rows']).toBeLessThanOrEqual(102)
})
