CREATE TABLE "pending_role_names" (
	"role_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"state" text NOT NULL,
	"since" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "pending_role_names_since" ON "pending_role_names" USING btree ("since");