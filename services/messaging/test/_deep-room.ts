import type { Connection } from '../src/store/statement.ts'

export const deep = { roomId: 'R1', rows: process.env['PARLEY_TEST_LONG'] ? 1_000_000 : 200_000 }
export const ordinary = { roomId: 'R2', rows: 2_000 }

/** Id of the first row. Every 5th row is a reply in its thread, and every 50th reply is followed by its echo. */
export const root = 'E1'

/** All rooms have the same mixture of rows, so a page should cost the same in each. */
export async function writeRooms(on: Connection, rooms: { roomId: string; rows: number }[]): Promise<void> {
  const ids = rooms.map(({ roomId }) => roomId)
  const rows = rooms.map((room) => room.rows)
  const of = `unnest($1::text[], $2::integer[]) as r (id, rows)`
  const each = `${of}, generate_series(1, r.rows) n`
  const run = (text: string) => on.query(text, [ids, rows])
  await run(`
    insert into room_lines (
      room_id, version, room_seq, fact_entry, kind, group_id, universal, archived, name, participant_ids,
      last_message_seq, last_message_at
    )
    select r.id, 1, r.rows, 1, 'channel', 'G', false, false, '', '{}', r.rows, now() from ${of}`)
  await run(`insert into line_members select r.id, 'ann', true, 1 from ${of}`)
  await run(`
    insert into room_events (
      room_id, seq, event_id, kind, in_timeline, actor_id, created_at, deleted_at, body, thread_root_event_id,
      echo_of_event_id, echo_from_thread_root_event_id
    )
    select r.id, n, 'E' || n,
      (case when n % 100 = 3 then 'user_joined_room' else 'message_posted' end)::room_event_kind,
      n % 5 <> 0, 'U' || n % 50, now(), case when n % 100 = 7 then now() end,
      case when n % 100 not in (3, 7) and n % 250 <> 1 then 'x' end,
      case when n % 5 = 0 then '${root}' end,
      case when n % 250 = 1 and n > 1 then 'E' || (n - 1) end,
      case when n % 250 = 1 and n > 1 then '${root}' end
    from ${each}`)
  await run(`
    insert into threads (room_id, root_event_id, reply_count, last_reply_at, last_reply_seq, participant_ids)
    select r.id, '${root}', r.rows / 5, now(), r.rows, array['U0', 'U5', 'U10'] from ${of}`)
  await run(`insert into thread_follows select r.id, '${root}', 'ann', true from ${of}`)
  await run(`
    insert into message_attachments
    select r.id, n, 0, r.id || 'A' || n, 'plan.png', 'image/png', 100, 10, 10 from ${each} where n % 20 in (4, 10)`)
  await run(`
    insert into reactions
    select r.id, n, e, 'U' || u, now() from ${each}, unnest(array['tada', 'eyes']) e, generate_series(1, 3) u where n % 100 in (5, 9)`)
  await run(`
    insert into reaction_tallies
    select r.id, n, e, 3, array['U1', 'U2', 'U3'], n from ${each}, unnest(array['tada', 'eyes']) e where n % 100 in (5, 9)`)
  await on.query('vacuum analyze')
}
