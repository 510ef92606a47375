import type { Reader } from './db.ts'

type Prepared<T> = { execute: (values?: Record<string, unknown>) => Promise<T> }

/**
 * A frequent query that is built once per database and once per transaction instead of at each execution. `build`
 * returns it with a `sql.placeholder` for each value; `name` must be unique in the process.
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
