import { readFileSync } from 'node:fs'
import { dataDirAt } from '@parley/local'
import { Client } from 'pg'
import { fleet } from './fleet.ts'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string | number>

/** A connection to the database of a service, as that service. */
export async function databaseOf(service: string): Promise<Client & AsyncDisposable> {
  const { secretsFile, portsFile } = dataDirAt(fleet().dataDir)
  const name = `parley_${service}`
  const password = read(secretsFile)[`database.${service}`]
  const client = new Client(`postgres://${name}:${password}@127.0.0.1:${read(portsFile).postgres}/${name}`)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
