import { databaseOf } from '../databases.ts'

export async function lockTable(service: string, table: string) {
  const [holder, observer] = await Promise.all([databaseOf(service), databaseOf(service)])
  holder.on('error', () => undefined)
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  await holder.query('begin')
  await holder.query(`lock table ${table} in access exclusive mode`)
  return {
    /** The figures of the runbook: the number of sessions that wait for a lock, and the pids that hold it. */
    async lockWaits() {
      const found = await observer.query<{ blockers: number[] }>(
        `select pg_blocking_pids(pid) as blockers from pg_stat_activity where wait_event_type = 'Lock'`,
      )
      return { waits: found.rows.length, blockers: [...new Set(found.rows.flatMap(({ blockers }) => blockers))] }
    },
    async terminate() {
      await observer.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([holder.end().catch(() => undefined), observer.end()])
    },
  }
}
