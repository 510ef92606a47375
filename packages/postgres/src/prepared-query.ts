import type { Reader } from './db.ts'

type Prepared<T> = { execute: (values?: Record<string, unknown>) => Promise<T> }

/**
 * A query that is put together once for each database, not each time it runs: for those that calls make all the time.
 * `build` makes it with a `sql.placeholder` for each value; `name` is the only one of its kind in the process.
 */
export function preparedQuery<Values extends Record<string, unknown>, T>(
  name: string,
  build: (reader: Reader) => { prepare: (name: string) => Prepared<T> },
): (reader: Reader, values: Values) => Promise<T> {
  const made = new WeakMap<Reader, Prepared<T>>()
  return (reader, values) => {
    let query = made.get(reader)
    if (!query) made.set(reader, (query = build(reader).prepare(name)))
    return query.execute(values)
  }
}
