CREATE TABLE "invites" (
	"id" text PRIMARY KEY NOT NULL,
	"digest" "bytea" NOT NULL,
	"label" text NOT NULL,
	"email" text NOT NULL,
	"role_ids" text[] NOT NULL,
	"max_uses" integer NOT NULL,
	"uses" integer DEFAULT 0 NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "session_id" text;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deactivated_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invites_digest" ON "invites" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "invites_created" ON "invites" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "invites_creator" ON "invites" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "invites_expiry" ON "invites" USING btree ("expires_at");