import { buildSchema } from 'graphql'
import type { ServerInfo } from './server-info.ts'

export const schema = buildSchema(/* GraphQL */ `
  "Data that is available before signing in."
  type Query {
    server: Server
  }
  "This server."
  type Server {
    name: String!
    version: String!
    profile: ServerProfile!
    "Whether accounts can be created with an e-mail address."
    directRegistrationEnabled: Boolean!
    "Ways to sign in: password, if accounts can be created with an e-mail address, and the types of the providers."
    authMethods: [String!]!
    "Sign-in providers, in the operator's order."
    authProviders: [AuthProvider!]!
    "URL at which other web clients start the authorization-code flow with PKCE."
    authorizeUrl: String!
  }
  "Name and appearance of the server."
  type ServerProfile {
    name: String!
    description: String
    "Markdown."
    welcomeMessage: String
    logoUrl: String
    bannerUrl: String
  }
  "An external sign-in provider."
  type AuthProvider {
    id: ID!
    type: String!
    label: String!
    "URL at which a browser starts to sign in."
    loginUrl: String!
  }
`)

export function serverOf(info: ServerInfo) {
  const { name, version, authMethods, authProviders, authorizeUrl, registrationOpen } = info
  const { description, welcomeMessage, iconUrl, bannerUrl } = info
  return {
    ...{ name, version, authMethods, authProviders, authorizeUrl },
    directRegistrationEnabled: registrationOpen,
    profile: { name, description, welcomeMessage, logoUrl: iconUrl, bannerUrl },
  }
}
