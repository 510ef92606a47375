ALTER TABLE "credentials" ADD COLUMN "client_origin" text;--> statement-breakpoint
ALTER TABLE "emails" ADD COLUMN "self_added" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "flow_tokens" ADD COLUMN "auth_generation" integer;--> statement-breakpoint
ALTER TABLE "provider_logins" ADD COLUMN "link_auth_generation" integer;--> statement-breakpoint
-- Consents to loopback addresses are not kept any more.
DELETE FROM "oauth_consents" WHERE "origin" ~ '^https?://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]+)?$';
