import pg from 'pg'

const name = process.env.PARLEY_SERVICE ?? ''
const client = new pg.Client({ connectionString: process.env[`PARLEY_${name.toUpperCase()}_DATABASE_URL`] })
await client.connect()
await client.query('create table if not exists migrated (at timestamptz not null default now())')
await client.query('create table if not exists owner (login text not null, one boolean primary key default true)')
await client.query('insert into migrated default values')
await client.end()
