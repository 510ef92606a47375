CREATE TABLE "preferences" (
	"user_id" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
