import pg from 'pg'

export async function writeRows(url: string, statements: [text: string, values: unknown[]][]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin')
    for (const [text, values] of statements) await client.query(text, values)
    await client.query('commit')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
