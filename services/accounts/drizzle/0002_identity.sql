CREATE TABLE "deletion_reports" (
	"user_id" text NOT NULL,
	"pass" integer NOT NULL,
	"service" text NOT NULL,
	"found" bigint NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "deletion_reports_user_id_pass_service_pk" PRIMARY KEY("user_id","pass","service")
);
--> statement-breakpoint
CREATE TABLE "deletions" (
	"user_id" text PRIMARY KEY NOT NULL,
	"requested_at" timestamp with time zone NOT NULL,
	"pass" integer DEFAULT 1 NOT NULL,
	"asked_at" timestamp with time zone NOT NULL,
	"completed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "email_codes" (
	"purpose" text NOT NULL,
	"email_key" text NOT NULL,
	"user_id" text DEFAULT '' NOT NULL,
	"code_digest" "bytea" NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"wrong_attempts" integer DEFAULT 0 NOT NULL,
	"mails" integer DEFAULT 1 NOT NULL,
	"window_from" timestamp with time zone NOT NULL,
	CONSTRAINT "email_codes_purpose_email_key_user_id_pk" PRIMARY KEY("purpose","email_key","user_id")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"user_id" text NOT NULL,
	"pass" integer NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"found" bigint DEFAULT 0 NOT NULL,
	"reported_at" timestamp with time zone,
	CONSTRAINT "erasures_user_id_pass_pk" PRIMARY KEY("user_id","pass")
);
--> statement-breakpoint
CREATE TABLE "external_identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"subject_hash" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"linked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "external_identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "flow_tokens" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" text NOT NULL,
	"payload" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_consents" (
	"user_id" text NOT NULL,
	"origin" text NOT NULL,
	"granted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "oauth_consents_user_id_origin_pk" PRIMARY KEY("user_id","origin")
);
--> statement-breakpoint
CREATE TABLE "provider_logins" (
	"state_digest" "bytea" PRIMARY KEY NOT NULL,
	"browser_digest" "bytea" NOT NULL,
	"provider_id" text NOT NULL,
	"nonce" text NOT NULL,
	"code_verifier" text NOT NULL,
	"redirect_path" text NOT NULL,
	"link_user_id" text,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "rotated_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "previous_digest" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "cooldown_from" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "avatar_key" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "status_emoji" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "status_text" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "status_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "reset_mailed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deletion_reports" ADD CONSTRAINT "deletion_reports_user_id_deletions_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."deletions"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deletions" ADD CONSTRAINT "deletions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "external_identities" ADD CONSTRAINT "external_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD CONSTRAINT "oauth_consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deletions_open" ON "deletions" USING btree ("asked_at") WHERE "deletions"."completed_at" is null;--> statement-breakpoint
CREATE INDEX "email_codes_expiry" ON "email_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "erasures_waiting" ON "erasures" USING btree ("requested_at") WHERE reported_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "external_identities_hash" ON "external_identities" USING btree ("subject_hash");--> statement-breakpoint
CREATE INDEX "external_identities_user" ON "external_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "flow_tokens_expiry" ON "flow_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "flow_tokens_user" ON "flow_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "provider_logins_expiry" ON "provider_logins" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_previous_digest" ON "credentials" USING btree ("previous_digest") WHERE "credentials"."previous_digest" is not null;--> statement-breakpoint
CREATE INDEX "users_status_expiry" ON "users" USING btree ("status_expires_at") WHERE "users"."status_expires_at" is not null;