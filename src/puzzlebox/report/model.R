# Recomputes the model of passing of a report with lme4 and prints its numbers beside those of the page:
#
#   Rscript model.R               # estimates, standard errors, standard deviations, test of all agents together
#   Rscript model.R --tests       # likelihood-ratio tests of each term as well, which take longer
#   Rscript model.R --intervals   # profile-likelihood intervals as well, which take much longer
#
# It reads the files tables/model_data.csv (one row for each cell: passes, episodes, agent, task, participant or run),
# tables/odds_ratios.csv and tables/model_summary.csv. The columns *_number give the order of the categories; the first
# one is the reference.
suppressPackageStartupMessages(library(lme4))

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
folder <- if (length(script)) dirname(script[1]) else "."
read_table <- function(name) {
  read.csv(file.path(folder, "tables", paste0(name, ".csv")), colClasses = "character", na.strings = character(0))
}
data <- read_table("model_data")
page <- read_table("odds_ratios")
summary_rows <- read_table("model_summary")
page_value <- function(name) as.numeric(summary_rows$value[summary_rows$quantity == name])
has <- function(name) name %in% summary_rows$quantity
data$passes <- as.numeric(data$passes)
data$fails <- as.numeric(data$episodes) - data$passes

# The matrix of fixed effects: an intercept, then one column for each category except the references.
X <- matrix(1, nrow(data), 1)
factors <- sub("_number$", "", grep("_number$", names(data), value = TRUE))
of_factor <- "" # the factor of each column
for (name in factors) {
  number <- as.numeric(data[[paste0(name, "_number")]])
  for (category in seq_len(max(number))[-1]) {
    X <- cbind(X, as.numeric(number == category))
    of_factor <- c(of_factor, name)
  }
}
data$X <- X
terms <- c()
if (has("sd_task")) terms <- c(terms, "(1 | unit)")
if (has("sd_task:agent")) terms <- c(terms, "(1 | unit:agent)")
if (has("sd_subject")) {
  # Agents without participants or training runs have no intercept of this kind.
  data$has_subject <- as.numeric(data$subject != "")
  terms <- c(terms, "(0 + has_subject | subject)")
}
formula <- as.formula(paste("cbind(passes, fails) ~ 0 + X +", paste(terms, collapse = " + ")))
control <- glmerControl("bobyqa", tolPwrss = 1e-12, optCtrl = list(maxfun = 1e5), check.conv.grad = "ignore",
                        check.conv.hess = "ignore", check.conv.singular = "ignore")
deviance_of <- suppressMessages(suppressWarnings(glmer(formula, data, binomial, control, devFunOnly = TRUE)))
spreads <- length(terms)

# Weak log-F(1, 1) priors of the deviations of categories from the mean of their factor, where the page has them.
penalised <- page_value("penalised") == 1
penalty <- function(beta) {
  if (!penalised) return(0)
  total <- 0
  for (name in factors) {
    effects <- c(0, beta[of_factor == name])
    away <- effects - mean(effects)
    total <- total + sum(away / 2 - log1p(exp(away)))
  }
  total
}
# Far from the minimum lme4 may not find the modes of the random effects, and stops with an error.
failed <- 1e6
objective <- function(theta, beta) {
  tryCatch(deviance_of(c(theta, beta)) - 2 * penalty(beta), error = function(problem) failed)
}

# The minimum if rows %*% beta == values; without rows, over all fixed effects.
minimise <- function(start, rows = NULL, values = NULL) {
  width <- ncol(X)
  map <- diag(width)
  offset <- rep(0, width)
  if (!is.null(rows)) {
    map <- qr.Q(qr(t(rows)), complete = TRUE)[, -seq_len(nrow(rows)), drop = FALSE]
    offset <- as.vector(t(rows) %*% solve(rows %*% t(rows), values))
  }
  at <- function(point) as.vector(offset + map %*% point[-seq_len(spreads)])
  from <- c(start[seq_len(spreads)], as.vector(t(map) %*% (start[-seq_len(spreads)] - offset)))
  lower <- c(rep(0, spreads), rep(-Inf, ncol(map)))
  best <- list(par = from)
  for (radius in c(0.2, 0.02)) {
    best <- minqa::bobyqa(best$par, function(point) objective(point[seq_len(spreads)], at(point)), lower = lower,
                          control = list(rhobeg = radius, rhoend = 1e-7, maxfun = 1e5))
  }
  list(point = c(best$par[seq_len(spreads)], at(best$par)), value = best$fval)
}

plain <- suppressWarnings(glm(cbind(passes, fails) ~ 0 + X, binomial, data, control = list(maxit = 10)))
start <- c(rep(0.7, spreads), pmax(-4, pmin(4, coef(plain))))
best <- minimise(start)
theta <- best$point[seq_len(spreads)]
beta <- best$point[-seq_len(spreads)]

# Standard errors from the curvature of the deviance; a deviation of 0 counts as known.
free <- c(which(theta > 1e-3), spreads + seq_along(beta))
at <- function(shift) {
  point <- best$point
  point[free] <- point[free] + shift
  objective(point[seq_len(spreads)], point[-seq_len(spreads)])
}
step <- 1e-3
unit <- diag(length(free)) * step
curvature <- matrix(0, length(free), length(free))
for (i in seq_along(free)) for (j in seq_len(i)) {
  curvature[i, j] <- curvature[j, i] <-
    (at(unit[i, ] + unit[j, ]) - at(unit[i, ] - unit[j, ]) - at(unit[j, ] - unit[i, ]) + at(-unit[i, ] - unit[j, ])) /
    (4 * step^2)
}
covariance <- solve(curvature / 2)
covariance <- covariance[free > spreads, free > spreads]

show <- function(quantity, of_page, of_lme4) cat(sprintf("%s\t%.6g\t%.6g\n", quantity, of_page, of_lme4))
cat("quantity\tpage\tlme4\n")
show("log-likelihood", page_value("log_likelihood"),
     -deviance_of(best$point) / 2 - sum(lchoose(data$passes + data$fails, data$passes)))
# lme4 orders the intercepts by their number.
groups <- names(glFormula(formula, data, binomial)$reTrms$cnms)
names_of_page <- c(unit = "sd_task", "unit:agent" = "sd_task:agent", subject = "sd_subject")
for (i in seq_along(groups)) show(names_of_page[[groups[i]]], page_value(names_of_page[[groups[i]]]), theta[i])

# Likelihood-ratio tests against F with the degrees of freedom of the page.
test <- function(label, rows, of_page, df) {
  statistic <- max(0, minimise(best$point, rows, rep(0, nrow(rows)))$value - best$value) / nrow(rows)
  show(paste(label, "F"), of_page[1], statistic)
  show(paste(label, "p"), of_page[2], pf(statistic, nrow(rows), df, lower.tail = FALSE))
}
unit_rows <- function(columns) diag(ncol(X))[columns, , drop = FALSE]
limit <- function(column, error, df, side) {
  reach <- function(value) minimise(best$point, unit_rows(column), value)$value - best$value - qt(0.975, df)^2
  far <- beta[column] + side * qt(0.975, df) * error
  while (reach(far) < 0) far <- far + side * error
  near <- beta[column]
  uniroot(reach, sort(c(near, far)), tol = 1e-4 * error)$root
}
for (column in seq_along(beta)) {
  label <- trimws(paste(page$factor[column], page$term[column]))
  error <- sqrt(covariance[column, column])
  show(label, as.numeric(page$estimate[column]), beta[column])
  show(paste(label, "SE"), as.numeric(page$standard_error[column]), error)
  if (column == 1) next
  df <- as.numeric(page$df[column])
  if (length(commandArgs(TRUE))) {
    test(label, unit_rows(column), as.numeric(c(page$f[column], page$p[column])), df)
  }
  if ("--intervals" %in% commandArgs(TRUE)) {
    show(paste(label, "low"), log(as.numeric(page$odds_ratio_low[column])), limit(column, error, df, -1))
    show(paste(label, "high"), log(as.numeric(page$odds_ratio_high[column])), limit(column, error, df, 1))
  }
}
test("all agents", unit_rows(which(of_factor == "agent")), c(page_value("overall_f"), page_value("overall_p")),
     page_value("overall_df"))
cat(sprintf("%s, lme4 %s\n", R.version.string, packageVersion("lme4")))
