import {
  and,
  asc,
  eq,
  getTableColumns,
  getTableName,
  sql,
  type InferInsertModel,
  type InferSelectModel,
  type SQL,
} from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { CommitChannel, sqlRows, type Db, type Reader, type Tx } from '@parley/postgres'
import { recordWait } from './metrics.ts'

/** A table of jobs. The columns may have any names in the database. */
export type JobTable = PgTable & {
  /** When the job may be claimed; while it is claimed, when the lease ends. */
  dueAt: AnyPgColumn
  /**
   * Fencing token, incremented by each claim and release: a worker whose lease was lost or released can no longer
   * change the job.
   */
  fence: AnyPgColumn
  /** Claims since the job last made progress. An outage does not use up the last attempts. */
  attempts: AnyPgColumn
}

/** A row that this process works on until its lease ends. */
export type Job<T extends JobTable> = InferSelectModel<T> & { fence: number; attempts: number }

type Options<T extends JobTable> = {
  key: readonly (keyof T['_']['columns'] & keyof InferSelectModel<T>)[]
  /** Condition of an unfinished job. Required if the table also keeps finished jobs. */
  open?: SQL
  /** Order in which due jobs are claimed. Default: by `dueAt`. */
  order?: readonly (AnyPgColumn | SQL)[]
}

const inMs = (milliseconds: number) => sql`clock_timestamp() + ${milliseconds}::float8 * interval '1 ms'`

/**
 * A queue of the jobs in a table, which any number of processes may share. All times are the database's, so the clocks
 * of processes may differ. Methods that change a job return false if it was deleted or another process has claimed it.
 */
export class JobQueue<T extends JobTable> {
  readonly #table: T
  readonly #options: Options<T>
  readonly #written = new CommitChannel()
  readonly name: string

  constructor(table: T, options: Options<T>) {
    this.#table = table
    this.name = getTableName(table)
    this.#options = options
  }

  /** Notifies listeners when the transaction that wrote jobs commits. */
  announce(on: Db | Tx): void {
    this.#written.notify(on)
  }

  /** Calls `onWritten` after each commit of jobs that this process announced, until disposed. */
  listen(db: Db, onWritten: () => void): Disposable {
    return this.#written.listen(db, onWritten)
  }

  /** Claims up to `limit` jobs that have been due for at least `idleMs`; counts an attempt for each. */
  async claim(
    db: Db,
    { leaseMs, limit, idleMs = 0 }: { leaseMs: number; limit: number; idleMs?: number },
  ): Promise<Job<T>[]> {
    const { dueAt, fence, attempts } = this.#table
    const table: PgTable = this.#table
    const { open, order = [dueAt] } = this.#options
    const due = db.$with('due').as(
      db
        .select({
          ...Object.fromEntries(this.#key().map((column) => [column.name, column])),
          wasDueAt: sql`${dueAt}`.as('was_due_at'),
        })
        .from(table)
        .where(and(open, sql`${dueAt} <= ${inMs(-idleMs)}`))
        .orderBy(...order.map((column) => asc(column)))
        .limit(limit)
        .for('update', { skipLocked: true }),
    )
    const rows: unknown = await db
      .with(due)
      .update(table)
      .set({ dueAt: inMs(leaseMs), fence: sql`${fence} + 1`, attempts: sql`${attempts} + 1` })
      .where(sql`(${sql.join(this.#key(), sql`, `)}) in (select ${this.#keyNames()} from ${due})`)
      .returning({ ...getTableColumns(table), waitedMs: this.#waitedMs() })
    const jobs = rows as (Job<T> & { waitedMs: number })[]
    for (const { waitedMs } of jobs) recordWait(this.name, waitedMs)
    return jobs
  }

  /** Extends the lease; returns false if it was lost. */
  renew(db: Reader, job: Job<T>, leaseMs: number): Promise<boolean> {
    return this.#update(db, job, { dueAt: inMs(leaseMs) })
  }

  /**
   * Releases a job, which becomes due again after `pauseMs`. `set`: new values of columns. A renewal of the released
   * lease has no effect.
   */
  release(
    db: Reader,
    job: Job<T>,
    { pauseMs, attempts, set }: { pauseMs: number; attempts: number; set?: Partial<InferInsertModel<T>> },
  ): Promise<boolean> {
    return this.#update(db, job, { ...set, dueAt: inMs(pauseMs), attempts, fence: sql`${this.#table.fence} + 1` })
  }

  async remove(db: Reader, job: Job<T>): Promise<boolean> {
    return ((await db.delete(this.#table).where(this.whereHeld(job))).rowCount ?? 0) > 0
  }

  /** SQL condition: the row is an unfinished job that no process has claimed since it was claimed as `job`. */
  whereHeld(job: Job<T>): SQL | undefined {
    const key = this.#options.key.map((name, at) => eq(this.#key()[at] as AnyPgColumn, job[name]))
    return and(...key, eq(this.#table.fence, job.fence), this.#options.open)
  }

  /** Milliseconds until the next job may be claimed; undefined when there is none. */
  async nextMs(db: Reader): Promise<number | undefined> {
    const [row] = await sqlRows<{ ms: number | null }>(
      db,
      sql`select (extract(epoch from min(${this.#table.dueAt}) - clock_timestamp()) * 1000)::float8 as ms
          from ${this.#table} where ${this.#options.open ?? sql`true`}`,
    )
    return row?.ms ?? undefined
  }

  count(db: Reader): Promise<number> {
    return db.$count(this.#table, this.#options.open)
  }

  #keyNames(): SQL {
    return sql.join(
      this.#key().map(({ name }) => sql.identifier(name)),
      sql`, `,
    )
  }

  #waitedMs(): SQL<number> {
    const isSameRow = this.#key().map(
      ({ name }) => sql`due.${sql.identifier(name)} = ${sql.identifier(this.name)}.${sql.identifier(name)}`,
    )
    return sql`(select extract(epoch from clock_timestamp() - due.was_due_at)::float8 * 1000
      from due where ${sql.join(isSameRow, sql` and `)})`
  }

  #key(): AnyPgColumn[] {
    const columns = getTableColumns(this.#table) as Record<string, AnyPgColumn>
    return this.#options.key.map((name) => columns[name] as AnyPgColumn)
  }

  async #update(db: Reader, job: Job<T>, set: object): Promise<boolean> {
    const table: PgTable = this.#table
    return ((await db.update(table).set(set).where(this.whereHeld(job))).rowCount ?? 0) > 0
  }
}
