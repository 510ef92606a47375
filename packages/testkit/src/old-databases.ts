import pg from 'pg'

/** Prefix of the names of cloned databases; the time of creation follows in base 36. */
export const clonePrefix = 'parley_test_'
const maxCloneAgeMs = 3_600_000

/** Drops clones on a given server that are older than an hour: those that earlier runs left. */
export async function dropOldDatabases(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where datname like $1', [
      `${clonePrefix}%`,
    ])
    for (const { datname } of rows) {
      const madeAt = Number.parseInt(datname.slice(clonePrefix.length), 36)
      if (madeAt < Date.now() - maxCloneAgeMs) await client.query(`drop database if exists ${datname} with (force)`)
    }
  })
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
