import { readFileSync } from 'node:fs'
import { dataDirAt } from '@parley/local'
import { connect, type NatsConnection } from 'nats'
import { fleet } from '../fleet.ts'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>

export async function connectToStream(): Promise<NatsConnection> {
  const { operatorFile, secretsFile } = dataDirAt(fleet().dataDir)
  const [servers, pass] = [read(operatorFile)['natsUrl'] ?? '', read(secretsFile)['nats.admin'] ?? '']
  return await connect({ servers, user: 'admin-events', pass })
}
